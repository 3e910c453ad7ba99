/* expect: `w` of type `four` is no number or struct */
typedef float four __attribute__((vector_size(16)));
void f(int n, float *restrict a, four w)
{
#pragma dvm region
  for (int i = 0; i < n; i++) {
    four v;
    v = w;
    a[i] = i;
  }
}
