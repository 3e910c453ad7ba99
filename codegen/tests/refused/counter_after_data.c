/* expect: its loop's header cannot be repeated */
int f(int n, double *restrict a)
{
  int i;
#pragma dvm region
  {
    const int last = n - 1;
    for (i = 0; i < last; i++)
      a[i] = 0;
  }
  return i;
}
