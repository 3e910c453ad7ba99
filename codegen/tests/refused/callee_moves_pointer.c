/* expect: the call of `add` cannot be followed: the pointer `x` changes, or its own address is taken */
static void add(double *x, int i) { x += i; *x += 1; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i);
}
