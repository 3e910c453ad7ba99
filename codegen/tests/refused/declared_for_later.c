/* expect: is declared in the region and used after it */
int f(int n, double *restrict a)
{
#pragma scop
  int last = n - 1;
  for (int i = 0; i < last; i++)
    a[i] = 0;
#pragma endscop
  return last;
}
