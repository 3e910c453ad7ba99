/* expect: `s` is declared in the region with an attribute (ModeAttr) */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int s __attribute__((mode(QI))) = 300 + i;
    a[i] = s;
  }
}
