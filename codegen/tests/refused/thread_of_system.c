/* expect: `pthread_self` is declared const or pure, but */
#include <pthread.h>
void f(int n, unsigned long *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = pthread_self();
}
