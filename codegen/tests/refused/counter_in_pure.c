/* expect: the pure function `twice` may read what the region writes */
static int k;
__attribute__((pure)) static double twice(void) { return k * 2.0; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (k = 0; k < n; k++)
    a[k] = twice();
}
