/* expect: not a number or struct */
struct { double x; } c[10];
void f(int n)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    c[i].x = n;
}
