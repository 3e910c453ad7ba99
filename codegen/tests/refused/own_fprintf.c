/* expect: the file defines `fprintf` */
static int fprintf(int n) { return n; }
void f(int n, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
  a[0] = fprintf(n);
}
