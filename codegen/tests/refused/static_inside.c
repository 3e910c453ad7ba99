/* expect: is declared static in the region */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    { static double t; t = b[i]; a[i] = t; }
}
