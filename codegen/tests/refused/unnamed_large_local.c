/* expect: tiles run on stacks of workers */
typedef struct { struct { double a[1 << 18]; } in; } *pointer, big;
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    big t;
    t.in.a[0] = i;
    a[i] = t.in.a[0];
  }
}
