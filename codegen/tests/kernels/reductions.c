#include "kernel.h"
/* Reductions: exact ones give the loops' results; others have one value, whatever the tiles and the order. */
static double matrix[40][40], rows[40], last;
static int number[40000];

/* With an inner loop the blocks are single iterations. The sums of these numbers are exact. */
static double norms(int n, double start)
{
  double sum = start, most = -1e300, least = 1e300;
  float product = 1;
#pragma dvm region reduction(+:sum) reduction(max:most) reduction(min:least), reduction(*:product)
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) {
      row += matrix[i][j];
      sum += matrix[i][j] * 2;
      sum = 0.5 * j + sum - matrix[j][i];
      if (matrix[i][j] < least)
        least = matrix[i][j];
    }
    rows[i] = row;
    most = most < row ? row : most;
    product *= i % 3 == 1 ? -2 : 0.5;
    sum -= 1;
  }
  last = product;
  return sum + most * 3 + least;
}

/* Thousands of iterations in blocks of 1,024 and more; sums of integers may overflow in the blocks. */
static void integers(int n)
{
  int sum = -2000000000, top = -5, many = 0, and = -1, or = 0, odd = 0;
  long product = 3;
  unsigned char small = 200;
  int all = 1, any = 0;
#pragma dvm region reduction(+:sum, many, small) reduction(&:and) reduction(|:or) reduction(^:odd) \
    reduction(&&:all) reduction(||:any) reduction(max:top) reduction(*:product)
  for (int i = 0; i < n * 1000; i++) {
    sum += number[i] * 1000;
    if (number[i] > 0)
      many++;
    and &= number[i] | 1;
    or |= number[i];
    odd ^= number[i] << 3;
    all = all && number[i] < 1000;
    any = any || number[i] == 77;
    if (top < number[i]) {
      top = number[i];
    }
    product *= number[i] | 1;
    small += number[i];
  }
  printf("%d %d %d %d %d %d %d %d %ld %d\n", sum, many, and, or, odd, all, any, top, product, small);
}

/* Loops with steps have blocks without an iteration, if blocks are small. */
static void steps(int n)
{
  double product = 1.5, most = -7, least = 9, zero = -0.0;
  int and = 11, all = 1;
  long sum = 4;
#pragma dvm region reduction(*:product) reduction(max:most) reduction(min:least) reduction(&:and) reduction(&&:all)
  for (int i = 0; i < n; i += 2) {
    all = all && number[i] < 100;
    for (int j = 0; j < 2; j++) {
      product *= matrix[i][j];
      most = matrix[i][j] < most ? most : matrix[i][j];
      if (matrix[i][j] < least)
        least = matrix[i][j];
      and &= number[i] | 8;
    }
  }
#pragma dvm region reduction(+:sum, zero)
  for (int i = 0; i < n * 1000; i += 3001) {
    sum += number[i];
    zero += number[i] > 1000000;
  }
  printf("%g %g %g %d %d %ld %g\n", product, most, least, and, all, sum, zero);
#pragma dvm region reduction(min:least)
  for (int i = 0; i < n; i++)
    for (int j = i; j < 7; j++)
      least = matrix[i][j] * 2 < least ? matrix[i][j] * 2 : least;
  printf("%g\n", least);
}

/* The arrays may overlap, and here they do: the tiles run in order. */
static double recurrence(int n, double *to, double *from)
{
  double sum = 0;
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 2; j++)
      sum += from[i] * j;
    to[i] = from[i] + 1;
  }
  return sum;
}

/* The iterations are independent by the author's word, and the sum is reduced. */
static double gathered(int n, double *to, const double *from, const int *key)
{
  double sum = 0;
  int count = 0;
#pragma dvm region independent reduction(+:sum, count)
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < (key[i] & 3); k++) {
      sum += from[(key[i] & 1023) / 64 + k];
      ++count;
    }
    to[n - 1 - i] = from[i];
  }
  return sum + count;
}

/* Sums that are not exact: by the loop, and by the tree that docs/regions.md states. */
static double harmonic(int n)
{
  double sum = 0.1;
#pragma dvm region reduction(+:sum)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++)
      sum += 1.0 / (i * 3 + j + 1);
  return sum;
}

static double by_tree(int n)
{
  double part[256], sum = 0.1;
  int size = (n + 255) / 256, parts = 0;
  for (int first = 0; first < n; first += size, parts++) {
    part[parts] = -0.0;
    for (int i = first; i < n && i < first + size; i++)
      for (int j = 0; j < 3; j++)
        part[parts] += 1.0 / (i * 3 + j + 1);
  }
  for (int w = 1; w < parts; w *= 2)
    for (int k = 0; k + w < parts; k += 2 * w)
      part[k] += part[k + w];
  return parts ? sum + part[0] : sum;
}

static double by_loop(int n)
{
  double sum = 0.1;
  for (int i = 0; i < n * 3; i++)
    sum += 1.0 / (i + 1);
  return sum;
}

/* An enumeration with negative values has a signed type, whose name takes no `unsigned`. */
enum level { low = -1, middle, high };

static int levels(int n)
{
  enum level sum = middle, least = high;
#pragma dvm region reduction(+:sum) reduction(min:least)
  for (int i = 0; i < n * 50; i++) {
    sum += number[i];
    least = (enum level)number[i] < least ? (enum level)number[i] : least;
  }
  return sum + 3 * least;
}

int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 20);
  double *a = room(64 * 8), *b = room(64 * 8);
  fill_double(&matrix[0][0], 1600, 1), fill_int(number, 40000, 2), fill_double(a, 64, 3);
  printf("%.17g %.17g\n", norms(n, 0.25), last);
  show("matrix", matrix, sizeof matrix);
  show("rows", rows, sizeof rows);
  integers(n);
  steps(n);
  printf("%d\n", levels(n));
  printf("%.17g\n", recurrence(n, a + 1, a));
  printf("%.17g\n", recurrence(n, a, b));
  printf("%.17g\n", gathered(n, b, a, number));
  show("b", b, 64 * 8);
  /* The plain compiler's sum is the loop's. */
  double sum = harmonic(n * 31);
  printf("%s\n", sum == by_tree(n * 31) || (by_loop(n * 31) == sum && getenv("STANDIN_SIZE") == NULL && getenv("STANDIN_REFUSE") == NULL) ? "right" : "wrong");
}
