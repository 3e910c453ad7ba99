/* expect: there is no statement between `#pragma scop` and `#pragma endscop` */
void f(int n, int *restrict a)
{
#pragma scop
#pragma endscop
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
