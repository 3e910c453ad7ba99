__attribute__((const)) double norm(double);
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = norm(b[i]);
}
