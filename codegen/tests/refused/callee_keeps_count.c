/* expect: `count` is declared static in the region */
static void add(double *x, int i) { static int count = 0; x[i] += count++; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i);
}
