/* expect: a `do` loop that is not inside a `for` loop is not in the language of regions */
void f(int n, double *restrict a)
{
#pragma dvm region
  {
    do
      for (int i = 0; i < n; i++)
        a[i] -= 1;
    while (a[0] > 0);
  }
}
