#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = MAX(0, i - 3); j < MIN(n, i + 4); j++)
      a[j] += i;
}
