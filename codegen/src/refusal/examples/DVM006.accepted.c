static void scale(int n, double *restrict x)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}

int main(void)
{
    static double x[1000];
    scale(1000, x);
    return x[0] != 0;
}
