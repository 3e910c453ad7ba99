/* expect: tiles run on stacks of workers */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    __int128 t[1 << 17];
    t[0] = i;
    a[i] = (double)t[0];
  }
}
