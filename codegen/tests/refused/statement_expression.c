/* expect: a statement expression is not in the language */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = ({ double t = b[i]; t * t; });
}
