static double x[50][50];
void f(int n)
{
#pragma dvm region
    for (int i = 1; i < n; i++)
        for (int j = 0; j < n; j++)
            x[i][j] = x[i][j - 1] + 1;
}
