void f(int n, double *restrict a)
{
    int k;
#pragma dvm region
    for (int i = 0; i < n; i++) {
        for (k = 0; k < i; k++)
            a[i] += 1;
        a[i] += k;
    }
}
