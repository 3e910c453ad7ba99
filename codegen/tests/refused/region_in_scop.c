/* expect: a region begins inside another */
void f(int n, double *restrict a)
{
#pragma scop
#pragma dvm region
  while (n > 0)
    a[--n] = 0;
#pragma endscop
}
