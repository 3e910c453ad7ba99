/* expect: writing `a` might change `scale` */
int scale;
void f(int n, double __attribute__((may_alias)) *a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = scale;
}
