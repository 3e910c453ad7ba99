static double t[100], u[100];
__attribute__((pure)) static double mirrored(int i)
{
down:
    if (i > 50) {
        i--;
        goto down;
    }
    return t[99 - i];
}
void f(int n)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        u[i] = mirrored(i);
}
