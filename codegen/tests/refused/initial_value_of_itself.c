/* expect: the initial value of `size` names the variable itself */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    unsigned size = sizeof size;
    a[i] = size * i;
    a[i] += size;
  }
}
