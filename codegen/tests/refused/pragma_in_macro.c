/* expect: the pragma comes from a macro or from the operator */
#define PARALLEL _Pragma("dvm region")
void f(int n, int *restrict a)
{
  PARALLEL for (int i = 0; i < n; i++)
    a[i] = 0;
}
