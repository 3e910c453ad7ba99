void f(int n, double (*restrict a)[n])
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = 0;
}
