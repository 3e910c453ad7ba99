/* expect: the address of `j` is taken, which is not a variable of one iteration */
static void below(const int *k, double *row) { row[0] += *k; }
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 9; j++)
      below(&j, a + i);
}
