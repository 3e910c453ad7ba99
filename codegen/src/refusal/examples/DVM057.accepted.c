double table[100], other[100];
void f(int n)
{
#pragma dvm region
    for (int i = 1; i < n; i++)
        table[i] = other[i - 1];
}
