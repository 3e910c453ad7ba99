void f(int n, double *restrict a)
{
    double table[8] = {0};
    double size = sizeof(table);
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = size + table[0];
}
