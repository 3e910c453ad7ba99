struct table { double values[8]; };
void f(int n, const struct table *restrict t, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = t[i].values[2];
}
