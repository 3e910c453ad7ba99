#include "kernel.h"
/* Macros of every short name that generated code might like to use, and of libdvm's own: none may reach it. */
static double b[64][64];
static double context = 2.5;
#define shown context
#define size 40
#define count 41
#define i64 42
#define context 43
#define dvm_x 44
#define tile 45
#define self 46
#define carried 47
#define first 48
#define last 49
#define lower 50
#define upper 51
#define run 52
#define name 53
#define dimension 54
#define graph 55
#define extent 56
#define fixed 57
#define h0 58
#define o0 59
#define b0 60
#define c0 61
#define c1 62
#define k 63
#define tiles 64
#define footprint 65
#define predecessors 66
#define successors 67
#define visitor 68
#define visit 69
#define int64_t short
#define size_t char
#define uintptr_t char
#define INT64_C(x) 3
#define min(a,b) ((a)+(b))
#define max(a,b) ((a)-(b))
#define dvm_min(a,b) 7
#define dvm_max(a,b) 7
#define dvm_floor_div 8
#define dvm_run_tiles 9
#define dvm_cannot_start(x) 1
#define DVM_H 1
#define DVM_SUCCESS 99
#define DVM_GRAPH_MAX_DIMENSION 2
#define DVM_QUIET foo
#define DVM_LOUD bar
#define DVM_INDEPENDENT baz
#define told 1
#define code 2
#define single 3
#define lowest 4
#define highest 5
#define last0 6
#define a_length1 7
#define unused 8
#define abort() 0
#define fprintf(...) 0
#define stderr 0
#undef NULL
#define NULL 17
#define value 3
#define work_1 88
#define region 5
#define argument 1
#define errors 2
#define print 3
#define point 4
#define begin 5
#define end 6
#define x_begin 7
#define x_end 8
#define y_length1 9
#define self_ 10
#define success 11
#define dvm_tiles 12
#define dvm_graph_t 13
#define dvm_graph_run(x) 14
#define dvm_graph_start() 15
#define dvm_graph_sizes(...) 16
#define dvm_last_error() 17
#define dvm_y 18
#define DVM_UNUSED 19
#undef context
static void work(int n, int m, double *restrict x, double (*restrict y)[n + 3])
{
  int i, j, t;
#pragma dvm region
  for (t = 0; t < 3; t++)
    for (i = 1; i < n - 1; i++)
      for (j = (n - i) / 2; j < m - 1; j++)
        y[i][j] = (y[i - 1][j] + y[i + 1][j] + y[i][j - 1] + y[i][j + 1]) * 0.25 + x[j] * shown + size + k;
#pragma dvm region
  for (i = 0; i < n; i += 3)
    for (j = i; j >= 0; j -= 2)
      b[i][j] = y[j][i] + 1.0 * i * j / (count + 1) + (double)sizeof(size_t);
}
/* Pointers that are compared when the region runs. */
static void add(int n, double *p, double *q)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    p[i] += q[i] * value;
}
#undef size
#undef name
#undef size_t
#undef k
#undef NULL
#undef a
int main(int argc, char **argv)
{
  int n = size_argument(argc, argv, 1, 30), m = n + 3;
  double *x = room(m * sizeof *x), *p = room(2 * m * sizeof *p), (*y)[m] = room(m * m * sizeof(double));
  fill_double(x, m, 1);
  fill_double(y[0], m * m, 2);
  fill_double(p, 2 * m, 3);
  work(n, n, x, y);
  add(n, p, p + n);
  add(n, p, p + 1);
  show("y", y, m * m * sizeof(double));
  show("p", p, 2 * m * sizeof *p);
  show("b", b, sizeof b);
}
