/* expect: and this is no update with that operator */
int f(int n, int *restrict a)
{
  int all = 2;
#pragma dvm region reduction(&&:all)
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) {
      if (a[i] < -5)
        continue;
      a[i] = 0;
    }
    all = all && a[i];
  }
  return all;
}
