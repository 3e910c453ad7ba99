#include "kernel.h"
static int position;
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30);
  double *a = room((n + 1) * sizeof *a);
  int i, j = -5, k;
#pragma dvm region
  for (i = 0; i < n; i += 4)
    a[i] = i;
  printf("%d\n", i);
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = i; j < n; j++)
      a[j] += i;
  printf("%d %d\n", i, j);
#pragma dvm region
  for (position = n; position > 2; position--)
    a[position] += 1;
  printf("%d\n", position);
  for (int round = 0; round < 3; round++) {
#pragma dvm region
    for (k = 0; k < n; k++)
      a[k] += round;
    if (round == 1)
      k = 3;
    else
      printf("%d\n", k);
  }
  show("a", a, (n + 1) * sizeof *a);
}
