#include <math.h>
static double a[100];
void f(int n)
{
    double dt = 0.067607829844396478;
    double growth = exp(dt);
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = a[i] * growth;
}
