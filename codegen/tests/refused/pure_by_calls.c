/* expect: the pure function `outer` may read what the region writes (`a`) */
static double table[100];
static double inner(int i) { down: if (i > 50) { i--; goto down; } return *(table + i); }
static double middle(int i) { return i > 0 ? inner(i - 1) : 0; }
__attribute__((const)) static double outer(int i) { return 2 * middle(i); }
void f(int n, double *a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = outer(i);
}
