/* expect: the call of `add` cannot be followed: an argument is converted to a pointer of another type */
static void add(float *x, int i) { x[i] += 1; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add((float *)a, i);
}
