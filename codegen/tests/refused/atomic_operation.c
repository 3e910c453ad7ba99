/* expect: an atomic operation is not in the language of regions */
#include <stdatomic.h>
void f(int n, int *restrict a, atomic_int *turn)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = atomic_fetch_add(turn, 1);
}
