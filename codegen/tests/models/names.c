void f(int mod, int floor, double *restrict exists)
{
#pragma dvm region
  for (int min = 0; min < mod; min++)
    for (int Max = min; Max < floor; Max++)
      exists[min + Max] += 1;
}
