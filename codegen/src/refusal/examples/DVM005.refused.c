#define PARALLEL _Pragma("dvm region")
void f(int n, double *restrict a)
{
    PARALLEL for (int i = 0; i < n; i++)
        a[i] = 2 * a[i];
}
