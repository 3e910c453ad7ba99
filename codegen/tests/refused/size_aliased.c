/* expect: writing `a` might change `size` */
int size;
void f(int *a)
{
#pragma dvm region
  for (int i = 0; i < size; i++)
    a[i] = 0;
}
