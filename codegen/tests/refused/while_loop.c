/* expect: a `while` loop that is not inside a `for` loop is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  {
    int k = 0;
    while (k < n)
      a[k++] = 0;
  }
}
