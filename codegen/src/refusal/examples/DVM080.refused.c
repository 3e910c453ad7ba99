#define BOTH(i) { a[i] = 0; b[i] = a[i]; }
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        BOTH(i)
}
