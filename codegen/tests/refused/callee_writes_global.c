/* expect: it is not clear at first sight what this writes */
static double total[4];
static void add(double *x, int i) { x[i] += 1; total[0] += x[i]; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(a, i);
}
