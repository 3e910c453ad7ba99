double weight(double);
void f(int n, double *restrict a)
{
#pragma dvm region pure(wieght)
    for (int i = 0; i < n; i++)
        a[i] = weight(a[i]);
}
