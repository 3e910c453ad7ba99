#include "kernel.h"
/* Private arrays that functions of the file fill. */
static double weight[5][3], field[40][40][5], line[40];
static int size[3];

static void exact(double x, double y, double at[5])
{
  int m;
  for (m = 0; m < 5; m++)
    at[m] = weight[m][0] + x * (weight[m][1] + y * weight[m][2]);
}

static double both(double *one, const double *other)
{
  one[1] += other[0];
  return one[1] * other[2];
}

static void fill(void)
{
  int i, j, m;
  double x, y, at[5], pair[3];
  exact(0.5, 1.5, at);
  line[0] = at[3];
#pragma dvm region private(at, pair)
  for (i = 0; i < size[0]; i++) {
    y = (double)i * 0.25;
    for (j = 0; j < size[1]; j++) {
      x = (double)j * 0.5;
      exact(x, y, at);
      for (m = 0; m < 5; m++)
        field[i][j][m] = at[m];
    }
    pair[0] = line[i];
    pair[1] = i;
    exact(line[i], y, at);
    line[i] = both(pair, at) + pair[1];
  }
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  if (n > 40) n = 40;
  for (int m = 0; m < 5; m++)
    for (int k = 0; k < 3; k++) weight[m][k] = m * 0.125 + k;
  for (int i = 0; i < 40; i++) line[i] = i % 7;
  size[0] = n;
  size[1] = n / 2;
  fill();
  show("field", field, sizeof field);
  show("line", line, sizeof line);
  return 0;
}
