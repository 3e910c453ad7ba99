/* expect: the pure function `weight` may read what the region writes (`a`) */
static double table[100];
__attribute__((pure)) static double weight(int i) { down: if (i > 50) { i--; goto down; } return table[i]; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i + 1] = weight(i);
}
