/* expect: the alignment of an object is taken */
void f(int n, double *restrict a)
{
  int m __attribute__((aligned(64))) = n;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = m + __alignof__(m);
}
