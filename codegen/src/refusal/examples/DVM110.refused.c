/* Twice all elements. */
inline void twice(int n, double *restrict a, const double *restrict b)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = 2 * b[i];
}
