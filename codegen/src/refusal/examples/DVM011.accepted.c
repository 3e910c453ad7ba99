static int twice(int k) { return 2 * k; }

void numbers(int n, int *restrict y)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        y[i] = twice(i);
}
