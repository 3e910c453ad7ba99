/* expect: of the kind that generated code gives */
void f(int n, double dvm__min, double *restrict a)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = dvm__min;
}
