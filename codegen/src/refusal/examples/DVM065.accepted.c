void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
        double t[200];
        for (int k = 0; k < 200; k++)
            t[k] = k * i;
        a[i] = t[7];
    }
}
