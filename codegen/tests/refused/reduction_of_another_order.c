/* expect: region 'most:5' stays sequential: `best` has the clause reduction(max:best), and this is no update with that operator [best < (unsigned)a[i]] */
static int most(const int *a, int n)
{
  int best = 1;
#pragma dvm region reduction(max:best)
  for (int i = 0; i < n; i++)
    if (best < (unsigned)a[i])
      best = (unsigned)a[i];
  return best;
}
int main(void) { return most((int[]){ -3, 2 }, 2); }
