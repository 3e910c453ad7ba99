/* expect: is not local to the function, or its address is known elsewhere */
double *kept;
static double look(void)
{
  return *kept;
}
void f(int n, double *restrict a)
{
  double t;
  int k = 0;
again:
#pragma dvm region private(t)
  for (int i = 0; i < n; i++) {
    t = a[i];
    a[i] = t + 1;
  }
  kept = &t;
  t = look();
  if (k++ < 2)
    goto again;
}
