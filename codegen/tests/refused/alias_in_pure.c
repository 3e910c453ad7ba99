/* expect: the pure function `read` may read what the region writes (`table`) */
double table[100];
extern double other[100] __attribute__((alias("table")));
__attribute__((pure)) static double read(int i) { return other[i]; }
void f(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    table[i] = read(i - 1);
}
