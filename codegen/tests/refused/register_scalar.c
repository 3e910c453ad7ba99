/* expect: `s` is a register variable, and the tiles need its address */
int f(int n, double *restrict a)
{
  register int s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] = 1;
    s += i;
  }
  return s;
}
