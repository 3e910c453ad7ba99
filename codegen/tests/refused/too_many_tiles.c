/* expect: `tile` has 17 sizes, and a tile has at most 16 */
void f(int n, double *restrict a)
{
#pragma dvm region tile(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)
  for (int i = 0; i < n; i++)
    a[i] = 0;
}
