/* expect: has a part (GCCAsmStmt) that is not known to be harmless */
__attribute__((const)) static double fence(int i)
{
  __asm__ volatile("" : : : "memory");
  return i;
}
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = fence(i);
}
