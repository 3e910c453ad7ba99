/* expect: `away` is declared const or pure, but may read what the region writes: its body is not here to be seen */
__attribute__((pure)) double away(int i);
void f(int n)
{
  double t[100];
#pragma dvm region
  for (int i = 0; i < n; i++)
    t[i] = away(i);
}
