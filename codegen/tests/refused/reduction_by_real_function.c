/* expect: region 'least:6' stays sequential: `best` has the clause reduction(min:best), and this is no update with that operator [best = fmin(best, a[i])] */
#include <math.h>
static long least(const long *a, int n)
{
  long best = (1l << 60) + 1;
#pragma dvm region reduction(min:best)
  for (int i = 0; i < n; i++)
    best = fmin(best, a[i]);
  return best;
}
int main(void) { return (int)least((long[]){ -3, 2 }, 2); }
