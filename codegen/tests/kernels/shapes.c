#include "kernel.h"
typedef double row[12];
typedef struct { double x, y; int tag : 4, mark : 4; } cell;
typedef struct { double sum; int count; } tally;
extern double open_ended[];
double open_ended[64];
static void rows(int n, row *restrict p, const double q[restrict static 1], cell (*restrict c)[3], tally *restrict out)
{
  tally t = { 0, 0 };
  double w;
#pragma dvm region
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 12; j++) {
      p[i][j] += q[i] * j, open_ended[i] += p[i][j];
      c[i][j % 3].x = p[i][j];
      c[i][j % 3].mark = j;
      (&c[i][1])->y -= 1;
    }
#pragma dvm region
  {
    for (int i = 0; i < n; i++) {
      if (i > 3)
        w = q[i];
      else
        w = 2;
      for (int j = 0; j < 12; j++) {
        double w2 = w;
        for (int k = 0; k < 3; k++)
          if (c[i][k].x > w2)
            w2 += c[i][k].y;
        p[i][j] = w2;
      }
    }
    for (int i = 0; i < n; i++) {
      t.sum += p[i][i % 12];
      t.count++;
    }
  }
  *out = t;
}
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  row *p = room((n + 1) * sizeof *p);
  double *q = room((n + 1) * sizeof *q);
  cell (*c)[3] = room((n + 1) * sizeof *c);
  tally t;
  memset(&t, 0, sizeof t);
  fill_double(q, n, 1);
  fill_double(p[0], 12 * n, 2);
  rows(n, p, q, c, &t);
  show("p", p, n * sizeof *p);
  show("c", c, n * sizeof *c);
  show("open", open_ended, sizeof open_ended);
  show("sum", &t.sum, sizeof t.sum);
  printf("%d\n", t.count);
}
