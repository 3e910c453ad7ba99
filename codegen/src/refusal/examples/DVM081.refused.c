#define ADD(x) sum += (x)
double f(int n, double *restrict a)
{
    double sum = 0;
#pragma dvm region
    for (int i = 0; i < n; i++)
        ADD(a[i]);
    return sum;
}
