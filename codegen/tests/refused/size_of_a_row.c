/* expect: the size of an object is taken whose length is computed */
void f(int n, double (*restrict a)[n])
{
  n -= 2;
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i][0] = sizeof a[0] + a[i][1];
}
