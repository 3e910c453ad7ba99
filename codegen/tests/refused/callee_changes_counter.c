/* expect: the loop counter `k` is assigned in its loop */
static void add(double *x, int i) { for (int k = 0; k < 3; k++) { x[i + k] += 1; k += 1; } }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, 3 * i);
}
