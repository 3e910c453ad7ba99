/* expect: `reassociate` is about a loop without inner loops, and this one stands inside */
double f(int n, double (*restrict a)[100])
{
  double sum = 0;
#pragma dvm region reduction(+:sum) reassociate
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 100; j++)
      sum += a[i][j];
  return sum;
}
