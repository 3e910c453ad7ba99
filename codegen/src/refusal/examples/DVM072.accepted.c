static void clear(double *x, int i)
{
    x[i] = 0;
}
void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        clear(a, i);
}
