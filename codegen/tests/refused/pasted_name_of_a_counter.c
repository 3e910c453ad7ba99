/* expect: the value depends on the line */
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define HERE __COUNTER__
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = PASTE(HE, RE);
}
