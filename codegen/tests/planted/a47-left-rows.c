/* Where a subscript leaves its row, a value that is read at entry may be anywhere in what the region writes. */
#include <stdio.h>
static double count(int low, int high, int m, int *x, const int *many)
{
  double sum = 0;
#pragma dvm region reduction(+:sum)
  for (int i = low; i <= high; i++) {
    x[i] += 5 + x[i * m + i] / 2;
    for (int j = 0; j < *many; j++)
      sum += 1;
  }
  return sum;
}
int main(void)
{
  int all[64] = { 0 }, *x = all + 32;
  x[-1] = 2;
  printf("%g\n", count(-20, 0, -1, x, x - 1));
  for (int i = 0; i < 64; i++)
    printf("%d ", all[i]);
}
