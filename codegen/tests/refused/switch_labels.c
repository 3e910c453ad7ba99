/* expect: a label of a `switch` stands inside of another statement */
void f(int n, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    int k = 0;
    switch (i & 1) {
    case 0:
      do {
        a[i] += 1;
      case 1:
        a[i] += 2;
      } while (++k < 2);
    }
  }
}
