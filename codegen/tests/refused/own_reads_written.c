/* expect: the pure function `at` may read what the region writes (`a`) */
static double a[100];
static double at(int i) { down: if (i > 50) { i -= 7; goto down; } return a[i]; }
void f(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    a[i] = at(i - 1);
}
