/* expect: gives another variable a first value that reads the counter `i` */
void f(int n, double *restrict a, double *restrict b)
{
  int i, j;
#pragma dvm region
  for (i = 3, j = i; i < n; i++, j++)
    a[i] = b[j];
}
