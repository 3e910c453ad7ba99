/* expect: the call of `add` cannot be followed: it stands in a header of the system */
#include "system.h"
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    add(&a[i], 1);
}
