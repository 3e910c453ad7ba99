struct table { double v[8]; };
void f(int n, const int *restrict k, struct table *restrict t)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        t[i].v[k[i]] = 1;
}
