/* expect: and this is no update with that operator */
int f(int n, int *restrict a)
{
  int all = 2;
#pragma dvm region reduction(&&:all)
  for (int i = 0; i < n; i++) {
    if (a[i] < 0)
      goto next;
    all = all && a[i];
  next:;
  }
  return all;
}
