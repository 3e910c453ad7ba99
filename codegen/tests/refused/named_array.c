/* expect: needs what line 7 wrote to `last`, at distance (1) */
static double table[8], last[2];
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    last[1] = a[i] + table[1] * last[1];
}
