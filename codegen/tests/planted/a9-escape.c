#include <stdio.h>
/* p leads into s, which tiles would read from a copy. */
struct number { double x; };
typedef struct { struct number v[200]; double scale; } vector;
static void f(int n)
{
  vector s = { .scale = 2 };
  struct number *p = s.v;
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i].x = s.v[0].x + s.scale + i;
  for (int i = 0; i < n; i++)
    printf("%g\n", s.v[i].x);
}
int main(void) { f(200); }
