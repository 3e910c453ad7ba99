/* expect: values in braces with designators may replace each other */
#define FIRST [0] =
void f(int n, int m, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    double y[] = {m, FIRST a[i], 1};
    a[i] = i + i;
  }
}
