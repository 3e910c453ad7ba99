/* expect: `other` may be another name of some other storage */
double table[100];
extern double other[100];
__asm__(".set other, table");
void f(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    other[i] = table[i - 1];
}
