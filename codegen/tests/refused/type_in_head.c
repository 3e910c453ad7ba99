/* expect: a type is declared in the head of the function */
struct point { double x; } *move(struct point *restrict p, int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i].x += i;
  return p;
}
