/* expect: each tile would copy it */
struct big {
  double v[400000];
  int k;
};
void f(int n, struct big s, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = s.v[i] + s.k;
}
