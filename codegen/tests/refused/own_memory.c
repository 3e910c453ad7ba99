/* expect: the file defines `memcpy` */
/* What a check at entry copies would go through the program's function: generated code names functions by their symbols. */
static void *memcpy(int n) { return n ? 0 : (void *)&n; }
void f(int n, int *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = 0;
  a[0] = memcpy(n) == 0;
}
