#include <math.h>
static double a[100];
void f(int n)
{
    double dt = 0.067607829844396478;
#pragma dvm region
    for (int i = 0; i < n; i++)
        a[i] = a[i] * exp(dt);
}
