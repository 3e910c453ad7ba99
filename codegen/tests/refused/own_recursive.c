/* expect: the function `down` may do more than compute a value: it calls itself, or calls others too deeply */
static double down(int n) { return n > 0 ? n + down(n - 1) : 0; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = down(i);
}
