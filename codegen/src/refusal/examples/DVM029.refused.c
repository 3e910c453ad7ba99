void f(int n, double (*restrict a)[n])
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < n) {
            a[i][j] = 0;
            j++;
        }
    }
}
