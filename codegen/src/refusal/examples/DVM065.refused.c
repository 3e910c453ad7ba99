void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
        double t[200000];
        for (int k = 0; k < 200000; k++)
            t[k] = k * i;
        a[i] = t[i];
    }
}
