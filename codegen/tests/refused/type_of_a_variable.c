/* expect: the type `typeof (m)` is declared inside the function, or leads to what is */
long m;
void f(int n, char m, double *restrict a)
{
  m++;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = (__typeof__(m))(i * 77);
}
