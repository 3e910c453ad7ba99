/* expect: `#pragma scop` has no `#pragma endscop` */
void f(int n, double *restrict a, double *restrict b)
{
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
