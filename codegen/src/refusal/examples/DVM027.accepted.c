void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            a[i] += 1;
        a[i] += i;
    }
}
