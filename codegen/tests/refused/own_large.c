/* expect: the region's local variables, `t` first of all, have about 2400 */
static double much(int i) { double t[300000] = { 1, 2 }; return t[i]; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = much(i);
}
