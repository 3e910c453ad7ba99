/* expect: a macro stands before the `;` of this statement, or holds it [if (b[i] < 1)...] */
#define TRACE(level)
void f(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    if (b[i] < 1)
      a[i] = 1;
    else
      a[i] = b[i] TRACE(2);
}
