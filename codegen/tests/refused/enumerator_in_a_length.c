/* expect: `N`, which the function declares, stands in a type of a statement */
enum { N = 3 };
void f(int n, double *restrict a)
{
  enum { N = 7 };
#define LENGTH (N)
#pragma dvm region
  for (int i = 0; i < n; i++) {
    char v[LENGTH], w[2];
    v[0] = w[0] = (char)i;
    a[i] = sizeof v + v[0];
  }
}
