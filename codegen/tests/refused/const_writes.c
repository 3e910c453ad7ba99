/* expect: `noted` is declared const or pure, but calls `note`, which writes to what is not its own */
static int calls;
static void note(int *p) { *p += 1; }
__attribute__((const)) static double noted(int i)
{
  note(&calls);
  return i;
}
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = noted(i);
}
