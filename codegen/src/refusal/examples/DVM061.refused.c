void f(int n, double *restrict a)
{
    struct pair { double x, y; };
#pragma dvm region
    for (int i = 0; i < n; i++) {
        struct pair p = {i, n};
        a[i] = p.x + p.y;
    }
}
