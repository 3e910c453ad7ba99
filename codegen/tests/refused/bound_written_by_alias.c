/* expect: which the region writes */
void f(int *restrict dims)
{
#pragma dvm region
  {
    for (int i = 0; i < dims[1]; i++) {
      int *row = dims;
      row[i] = 2;
    }
  }
}
