/* expect: it is not known whether `q` and `p` overlap */
void f(int n, double *q, double *p, const int *restrict key)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i] = q[key[i]];
}
