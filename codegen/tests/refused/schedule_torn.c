/* expect: the only schedules found put statements as far apart as their types allow */
static long seen[24][20];
void f(int n, double *restrict b)
{
#pragma dvm region
  for (int i = n; i > 1; i--) {
    if (2 < i) {
      for (int k = 0; n > k; k -= -2u)
        seen[i][k] = b[k] > 1;
    } else {
      b[i] += (double)(seen[i + 2][i] % 128);
    }
  }
}
