void f(int n, double (**a)[8])
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            a[i][j][j] = i;
}
