/* expect: a loop counter is used after the region, and its loop's header cannot be repeated after the region */
int f(int n, int *len, int *q, double *x)
{
  int i, j = -5;
#pragma dvm region independent
  for (i = 0; i < n; i++) {
    for (j = 0; j < len[i]; j++)
      x[i] += j;
    q[i] = 0;
  }
  return j;
}
