/* expect: the size of a type is taken whose length is computed */
int f(int n, double *restrict a)
{
  int k = 1;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sizeof(char[k++]);
  return k;
}
