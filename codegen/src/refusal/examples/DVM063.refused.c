void f(int n, double *restrict a)
{
    double table[8] = {0};
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = sizeof(table) + table[0];
}
