struct table { double v[8]; };
void f(int n, const int *restrict k, struct table *restrict t)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            if (j == k[i])
                t[i].v[j] = 1;
}
