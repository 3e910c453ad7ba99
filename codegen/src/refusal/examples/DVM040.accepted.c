void blocks(int n, double *restrict a)
{
#pragma dvm region
    for (long i = 0; i < n; i++)
        for (long j = 0; j < 8; j++)
            a[j + 8 * i] = 1;
}
