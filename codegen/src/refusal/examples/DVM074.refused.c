static double total;
static void add(double *x, int i)
{
    x[i] += 1;
    total += x[i];
}
void f(int n, double *restrict a)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        add(a, i);
}
