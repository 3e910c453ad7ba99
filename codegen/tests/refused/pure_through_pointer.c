/* expect: the pure function `before` may read what the region writes */
static double *all;
__attribute__((pure)) static double before(int i) { down: if (i > 50) { i--; goto down; } return i > 0 ? all[i - 1] : 0; }
void f(int n, double *a)
{
  all = a;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = before(i) + 1;
}
