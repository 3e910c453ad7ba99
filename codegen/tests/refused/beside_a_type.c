/* expect: this loop's header declares what is no variable */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (struct { int i; } s = { 0 }, *t = &s; s.i < n; s.i++)
    a[t->i] = 1;
}
