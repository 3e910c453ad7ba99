/* expect: a variable is declared among the labels of a `switch` */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    switch (i & 1) {
    case 0:
      a[i] = 1;
      double t = 3;
      a[i] += t;
      break;
    default:
      t = 2;
      a[i] = t;
    }
}
