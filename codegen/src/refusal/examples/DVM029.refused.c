void f(int n, double *restrict a)
{
#pragma dvm region
    {
        int i = 0;
        while (i < n) {
            a[i] = 0;
            i++;
        }
    }
}
