/* expect: tiles run on stacks of workers */
struct named { struct { double a[1 << 18]; int k; } in; int z : 3; };
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    struct named t;
    t.in.a[0] = i;
    a[i] = t.in.a[0];
  }
}
