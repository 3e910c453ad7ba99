void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 1; i < n; i++) {
        a[i] += i - 1;
        for (int k = 0; k < i; k++)
            a[i] += 1;
    }
}
