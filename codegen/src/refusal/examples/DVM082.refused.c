void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
#define SCALE 2
        a[i] = SCALE * a[i];
    }
}
