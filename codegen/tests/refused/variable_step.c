/* expect: this loop's step may change, or is not known */
void f(int n, int step, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i += step) {
    a[i] = 0;
    step = step + 1;
  }
}
