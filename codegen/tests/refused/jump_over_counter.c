/* expect: jumps, `while` or `switch` tell whether its loop runs to its end */
int f(int n, double *restrict a, double (*restrict b)[100])
{
  int j = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      goto over;
    for (j = 0; j < n; j++)
      b[i][j] = 1;
  over:
    a[i] = 2;
  }
  return j;
}
