/* expect: the size of a whole array is taken inside a statement */
void f(int n, double *restrict a, double *restrict b)
{
  double t[7];
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sizeof t + t[0] * 0;
}
