struct { double x; } cells[10];
void f(int n)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        cells[i].x = n;
}
