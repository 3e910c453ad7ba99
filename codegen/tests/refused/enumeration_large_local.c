/* expect: tiles run on stacks of workers */
enum first { A, B };
typedef enum { C, D } second;
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    enum first t[1 << 17];
    second u[1 << 17];
    t[0] = A;
    u[0] = D;
    a[i] = t[0] + u[0];
  }
}
