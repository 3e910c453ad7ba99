struct word { float real; int bits; };
void f(int n, struct word *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i].real = 0;
}
