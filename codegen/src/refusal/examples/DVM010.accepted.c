/* File scale.c: */
void scale(int n, double *x)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
