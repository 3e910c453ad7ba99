/* expect: may leave the range */
void f(unsigned n, double *restrict a)
{
#pragma dvm region
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < n; j++)
      a[i - j + n] = 0;
}
