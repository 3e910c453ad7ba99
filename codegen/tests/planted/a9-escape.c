#include <stdio.h>
/* p leads into s, which tiles would read from a copy. */
typedef struct { double v[200]; double scale; } vector;
static void f(int n)
{
  vector s = { .scale = 2 };
  double *p = s.v;
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i] = s.v[0] + s.scale + i;
  for (int i = 0; i < n; i++)
    printf("%g\n", s.v[i]);
}
int main(void) { f(200); }
