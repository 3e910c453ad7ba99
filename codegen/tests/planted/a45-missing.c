/* fmax and fmin pass over what is no number, also over the value before the loop. */
#include <math.h>
#include <stdio.h>
static double largest(double s, int n, const double *a)
{
#pragma dvm region reduction(max:s)
  for (int i = 0; i < n; i++)
    s = fmax(s, a[i]);
  return s;
}
static float least(float s, int n, const float *a)
{
#pragma dvm region reduction(min:s)
  for (int i = 0; i < n; i++)
    s = fminf(a[i], s);
  return s;
}
int main(void)
{
  static double a[5000], none[3] = { NAN, NAN, NAN };
  static float b[5000];
  for (int i = 0; i < 5000; i++) {
    a[i] = i % 700 == 3 ? NAN : (i * 37) % 4001;
    b[i] = i < 2500 ? NAN : 7 + (i * 31) % 997;
  }
  printf("%g %g %g %g\n", largest(NAN, 5000, a), largest(NAN, 3, none), largest(-2, 3, none), largest(9000, 5000, a));
  printf("%g %g %g\n", least(NAN, 5000, b), least(NAN, 2000, b), least(3, 5000, b));
}
