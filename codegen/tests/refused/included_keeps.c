/* expect: included_keeps.c:8:5: warning: region 'f:5' stays sequential: an address is used as a value (in `keep`, of an included file) [keep(&x)] */
#include "called.h"
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double x = a[i];
    keep(&x);
    a[i] = x + *kept;
  }
}
