void f(int n, double (*restrict a)[n])
{
    for (int i = 0; i < n; i++) {
#pragma dvm region
        for (int j = 0; j < n; j++) {
            int k = n - i - j;
            {
                int more = 3;
                a[j][k] += more;
            }
        }
    }
}
