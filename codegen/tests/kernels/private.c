#include "kernel.h"
/* Variables of which each iteration has its own, by the author's word. */
static double in[40][8], out[40][8];
static int key[64];

static void scratch(int n)
{
  double line[8], pair[2][3];
  double carried;
#pragma dvm region private(line, pair, carried)
  for (int i = 0; i < n; i++) {
    out[i][0] = i;
    for (int j = 0; j < 8; j++)
      line[(j * 3 + i) % 8] = in[i][j] * 2;
    carried = line[key[i] % 8];
    for (int k = 0; k < 3; k++)
      pair[k & 1][k] = line[k] + line[7 - k];
    if (key[i] % 2)
      carried = pair[1][1];
    for (int j = 1; j < 8; j++)
      out[i][j] = line[j] + pair[j & 1][1 & ~j] * 0 + carried + pair[0][2];
    in[i][3] = carried;
  }
}

static void by_steps(int n, int *to)
{
  int last = 0;
  for (int t = 0; t < 3; t++) {
    int seen[64];
#pragma dvm region independent private(seen, last)
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 64; k++)
        seen[k] = 0;
      last = key[i] & 63;
      seen[last] = i + t;
      for (int k = 0; k < 64; k++)
        to[key[i]] += seen[k];
    }
  }
}

/* With the counters that OpenMP's clause names; one is read after its loop. */
static int by_counters(int n)
{
  int i, j, k;
  double sum;
#pragma dvm region private(i, j, k, sum)
  for (i = 0; i < n; i++) {
    sum = 0;
    for (j = 0; j < 8; j++)
      sum += in[i][j];
    for (k = 0; k < 8; k++)
      if (in[i][k] > 3)
        break;
    out[i][7] = sum + k;
  }
#pragma dvm region private(i, j)
  for (i = 0; i < n; i++)
    for (j = 0; j < 8; j++)
      in[i][j] = in[i][j] + j;
  return i;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20), *to = room(64 * 4);
  fill_double(&in[0][0], 320, 1);
  for (int i = 0; i < 64; i++)
    key[i] = i * 29 % 64;
  scratch(n);
  printf("%d\n", by_counters(n));
  show("in", in, sizeof in);
  show("out", out, sizeof out);
  by_steps(n, to);
  show("to", to, 64 * 4);
}
