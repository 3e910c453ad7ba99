/* expect: region 'all:5' stays sequential: `good` has the clause reduction(&&:good), and not each iteration updates it */
static int all(const int *a, int n)
{
  int good = 4;
#pragma dvm region reduction(&&:good)
  for (int i = 0; i < n; i++)
    if (a[i] > 100)
      good = good && a[i] < 200;
  return good;
}
int main(void) { return all((int[]){ -3, 2 }, 2); }
