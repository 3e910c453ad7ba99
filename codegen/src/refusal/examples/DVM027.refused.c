void f(int n, double *restrict a)
{
    int k = 0;
#pragma dvm region
    for (int i = 1; i < n; i++) {
        a[i] += k;
        for (k = 0; k < i; k++)
            a[i] += 1;
    }
}
