void f(int n, int m, double (*restrict a)[m])
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i][1] = i;
}
