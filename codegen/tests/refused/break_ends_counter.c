/* expect: jumps, `while` or `switch` tell whether its loop runs to its end */
int f(int n, double (*restrict b)[100])
{
  int i, j = 0;
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      if (b[i][j] < 0)
        break;
      b[i][j] = 1;
    }
  return j;
}
