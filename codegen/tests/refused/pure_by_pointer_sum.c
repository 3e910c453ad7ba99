/* expect: the pure function `read` may read what the region writes (`table`) */
static long table[100][4];
__attribute__((pure)) static long read(int i) { down: if (i > 50) { i--; goto down; } return table[i][2]; }
void f(int n)
{
#pragma dvm region
  for (int i = 1; i < n; i++)
    *(*(&table[1] + i) + 2) += read(i);
}
