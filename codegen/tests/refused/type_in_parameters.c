/* expect: a type is declared in the head of the function */
double move(struct point { double x; } *restrict p, int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i].x += i;
  return 0;
}
