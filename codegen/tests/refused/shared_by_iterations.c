/* expect: the iterations of an independent loop all write `sum` */
double f(int n, double *a, int *key)
{
  double sum = 0;
#pragma dvm region independent
  for (int i = 0; i < n; i++)
    sum += a[key[i]];
  return sum;
}
