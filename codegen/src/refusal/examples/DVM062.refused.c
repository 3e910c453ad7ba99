void f(int n, int m, double (*restrict a)[m])
{
#pragma dvm region
    for (int i = 0; i < n; i++) {
        const int m = 4;
        double (*row)[m] = a;
        row[i][1] = i;
    }
}
