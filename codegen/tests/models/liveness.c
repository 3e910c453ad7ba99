/* A scalar that is not used after the region gets a copy in each statement; one that may be used is an array of rank 0. */
double before_a_break(int n, double *restrict a)
{
  double s = 0;
  while (1) {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i];
      a[i] = s + 1;
    }
    break;
  }
  return s;
}

double before_a_new_value(int n, double *restrict a)
{
  double s = 0;
  do {
#pragma dvm region
    for (int i = 0; i < n; i++) {
      s = a[i];
      a[i] = s + 1;
    }
    if (n > 4)
      continue;
    a[0] = 1;
  } while (s = 3, s < 2);
  return s;
}

double in_a_pragma(int n, double *restrict a)
{
  double s = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i];
    a[i] = s + 1;
  }
#pragma acc parallel loop if (s > 0)
  for (int i = 0; i < n; i++)
    a[i] = 2;
  return 0;
}

double in_an_initialiser(int n, double *restrict a)
{
  double s = 0, t = 0;
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i];
    t = s * 2;
    a[i] = s + t;
  }
  double list[3] = {s};
  return list[0];
}

double by_a_goto(int n, double *restrict a)
{
  double s = 0, t;
  goto begin;
again:
  if (n > 3)
    return s;
begin:
#pragma dvm region
  for (int i = 0; i < n; i++) {
    s = a[i];
    t = s;
    a[i] = t + 1;
  }
  goto again;
}
