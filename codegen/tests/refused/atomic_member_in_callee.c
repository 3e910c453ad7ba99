/* expect: it uses a volatile or atomic object */
struct ticket { double price; _Atomic int taken; };
static struct ticket last;
static double price(double scale)
{
  struct ticket mine = last;
  return scale * mine.price;
}
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = price(i);
}
