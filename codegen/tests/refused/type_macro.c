/* expect: the macro `real` has the name of a type */
typedef double real;
static real a[100];
#define real float
void f(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0.1;
}
