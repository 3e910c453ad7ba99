/* expect: a `switch` is not in the language of regions */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    switch (i) { default: a[i] = 0; }
}
