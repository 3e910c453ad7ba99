double table[100];
extern double other[100] __attribute__((alias("table")));
void f(int n)
{
#pragma dvm region
    for (int i = 1; i < n; i++)
        table[i] = other[i - 1];
}
