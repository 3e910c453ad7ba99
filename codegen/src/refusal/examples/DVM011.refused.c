void numbers(int n, int *restrict y)
{
    int twice(int k) { return 2 * k; } /* gcc takes nested functions, and clang does not */

#pragma dvm region
    for (int i = 0; i < n; i++)
        y[i] = twice(i);
}
