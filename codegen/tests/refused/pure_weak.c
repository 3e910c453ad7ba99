/* expect: its body is not here to be seen */
__attribute__((pure, weak)) double away(int i) { return i; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = away(i);
}
