/* expect: the body of this `switch` is no block */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    switch (i & 1)
    case 0:
      a[i] = 1;
}
