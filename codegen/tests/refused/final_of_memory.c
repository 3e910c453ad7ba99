/* expect: region 'count_1' stays sequential: no parallelism was found: line 9 needs what line 10 wrote to `at`, at distance (0 to 1, *) */
struct grid { int n; };
static int count(const struct grid *g, int *restrict a, int n)
{
  int at = 4;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < g->n; j++) {
      a[i * 10 + j] = at;
      at++;
    }
  return at;
}
int main(void)
{
  struct grid g = { 2 };
  int a[40];
  return count(&g, a, 2);
}
