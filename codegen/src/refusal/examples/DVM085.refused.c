void f(int n, double *restrict gr\u00f6\u00dfe)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        gr\u00f6\u00dfe[i] = 0;
}
