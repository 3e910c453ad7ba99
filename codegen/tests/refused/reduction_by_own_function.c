/* expect: region 'least:6' stays sequential: `best` has the clause reduction(min:best), and this is no update with that operator [best = fmin(best, a[i])] */
static double fmin(double a, double b) { return a + b; }
static double least(const double *a, int n)
{
  double best = 3;
#pragma dvm region reduction(min:best)
  for (int i = 0; i < n; i++)
    best = fmin(best, a[i]);
  return best;
}
int main(void) { return least((double[]){ -3, 2 }, 2) > 0; }
