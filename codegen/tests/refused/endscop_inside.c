/* expect: `#pragma endscop` stands inside a statement that begins before it */
void f(int n, double *restrict a)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    a[i] = 0;
#pragma endscop
  }
}
