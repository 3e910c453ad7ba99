/* expect: the call of `add` cannot be followed: the type of `x` has a length that is no number */
static void add(int m, double x[][m], int i) { x[i][0] += 1; }
void f(int n, int m, double (*restrict a)[m])
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(m, a, i);
}
