/* expect: the region has no statements */
void f(int n, double *restrict a, double *restrict b)
{
#pragma dvm region
  {
    ;
  }
}
