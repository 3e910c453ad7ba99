/* expect: `other` may be another name of some other storage */
double table[100];
void f(int n)
{
  extern double other[100] __asm__("table");
#pragma dvm region
  for (int i = 1; i < n; i++)
    table[i] = other[i - 1];
}
