/* expect: is declared inside the function */
void f(int n, double *restrict a, double *restrict b)
{
  struct cell { double x; } c[10];
#pragma dvm region
  for (int i = 0; i < 10; i++)
    c[i].x = n;
  a[0] = c[3].x;
}
