void f(int n, double *restrict size)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        size[i] = 0;
}
