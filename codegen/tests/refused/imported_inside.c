/* expect: this directive is not understood inside a region */
void f(int n, float *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    a[i] = i;
#include_next <iso646.h>
  }
}
