/* expect: region 'least:5' stays sequential: `best` has the clause reduction(min:best), and this is no update with that operator [best = a[i] < best ? a[i] : best] */
static int least(const int *a, int n)
{
  signed char best = 100;
#pragma dvm region reduction(min:best)
  for (int i = 0; i < n; i++)
    best = a[i] < best ? a[i] : best;
  return best;
}
int main(void) { return least((int[]){ -130, 2 }, 2); }
