/* expect: the size of such an operand may differ before the function */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = sizeof(({ struct { char c[3]; } s; s; }));
}
