/* expect: it depends on data which pointers or rows of a table in memory (a pointer to pointers) are used here */
void f(int n, double **a, const int *kind)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[kind[i]][j] = 0;
}
