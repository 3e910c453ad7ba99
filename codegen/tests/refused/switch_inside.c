/* expect: a `switch` that is not inside a `for` loop is not in the language of regions */
void f(int n, double *restrict a)
{
#pragma dvm region
  {
    switch (n) {
    default:
      for (int i = 0; i < n; i++)
        a[i] = 0;
    }
  }
}
