/* expect: a loop counter is used after the region, and its loop's header cannot be repeated after the region */
int f(int n, int *len, int *q, double *sum)
{
  int i, j = -5;
  double s = 0;
#pragma dvm region reduction(+:s)
  for (i = 0; i < n; i++) {
    for (j = 0; j < len[i]; j++)
      s += 1;
    q[i] = 0;
  }
  *sum = s;
  return j;
}
