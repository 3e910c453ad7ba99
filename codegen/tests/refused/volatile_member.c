/* expect: volatile and atomic objects keep their order of accesses */
struct port { double x; volatile int ready; };
int f(int n, double *restrict a)
{
  struct port s = {0, 0};
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s.ready = i;
    a[i] = s.x;
  }
  return s.ready;
}
