/* expect: gives an object of type `double *`, not a number or struct */
void f(int n, double **a)
{
#pragma dvm region
  for (int i = 1; i < n; i++) {
    a[i] = a[0];
    for (int j = 0; j < n; j++)
      a[i][j] = 0;
  }
}
