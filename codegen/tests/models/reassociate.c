double sums(int n, const double *restrict a, const float *restrict b)
{
    double sum = 1;
    float most = 0;
    int count = 0;
#pragma dvm region reduction(+:sum, count) reassociate, reduction(max:most)
    for (int i = 0; i < n; i++) {
        sum += a[i];
        count++;
        most = most < b[i] ? b[i] : most;
    }
    return sum + most + count;
}
