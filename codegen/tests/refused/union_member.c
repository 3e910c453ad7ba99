/* expect: members of unions share their bytes */
union u { float x; int k; };
void f(int n, union u *restrict u)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    u[i].x = 0;
}
