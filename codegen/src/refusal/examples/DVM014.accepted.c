#ifndef SHIFT
#define SHIFT 12
#endif
void shift(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = a[i] + SHIFT;
}
