#define SQUARE(x) ((x) * (x))
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        b[i] = SQUARE(b[i]);
    }
}
