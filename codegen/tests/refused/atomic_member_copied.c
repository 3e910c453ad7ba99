/* expect: volatile and atomic objects keep their order of accesses */
struct ticket { double price; _Atomic int taken; };
typedef struct { struct ticket best[2]; } offer;
void f(int n, offer *restrict a, const offer *restrict b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = b[i];
}
