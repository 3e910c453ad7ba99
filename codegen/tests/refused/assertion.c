/* expect: compile with -DNDEBUG, or assert in a loop of its own before the region */
#include <assert.h>
void f(int n, double *restrict a, const int *restrict kind)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    assert(kind[i] >= 0);
    a[i] = kind[i];
  }
}
