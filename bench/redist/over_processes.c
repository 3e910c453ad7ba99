/* One matrix from one layout to another over the processes of an MPI job, in turn by memcpy of the same bytes, libdvm,
 * MPI_Alltoallw with prebuilt datatypes and ScaLAPACK (with -DSCALAPACK). Usage: mpirun -n P over_processes CASE N RUNS
 *
 * Local arrays are column-major, as ScaLAPACK wants them. Prints for each run "NAME SECONDS" for each way: the longest time of
 * all processes, from a barrier on. Ends with an error when an element is not where it belongs. */
#define _GNU_SOURCE
#include <dvm_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                 \
  do {                                                                              \
    if ((call) != DVM_SUCCESS) {                                                    \
      fprintf(stderr, "line %d: %s\n", __LINE__, dvm_last_error());                 \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                 \
    }                                                                               \
  } while (0)

enum { MOST = 16, BLOCK = 64, WIDER = 96 };

typedef struct side_t {
  dvm_distribution_t distribution;
  dvm_data_id_t id[MOST]; /* {0, 0} for the memories of others */
  double *at;             /* this process's memory */
  int64_t size, own;      /* its elements, its number */
  int64_t leading;        /* from one local column to the next */
  int block[2], grid[2];  /* as ScaLAPACK sees it */
} side_t;

static int me, processes;
static side_t source, target;
static dvm_redistribution_t plan;
static int transposed;

/* ----- the two layouts ----- */

static void layout(side_t *s, int64_t n, int64_t block_rows, int64_t block_columns, int64_t rows, int64_t columns) {
  const int64_t size[2] = {n, n}, block[2] = {block_rows, block_columns}, grid[2] = {rows, columns};
  CHECK(dvm_distribution_block_cyclic(2, size, block, grid, &s->distribution));
  CHECK(dvm_distribution_set_order(s->distribution, (int[]){1, 0}, 2));
  CHECK(dvm_distribution_set_grid(s->distribution, DVM_GRID_BY_ROWS, NULL, 0));
  s->own = me;
  s->block[0] = (int)(block_rows ? block_rows : (n + rows - 1) / rows);
  s->block[1] = (int)(block_columns ? block_columns : (n + columns - 1) / columns);
  s->grid[0] = (int)rows, s->grid[1] = (int)columns;
}

/* The transposed matrix in the layout of the matrix: element (i, j) is where (j, i) would be. */
static void transposed_layout(side_t *s, int64_t n, int64_t rows, int64_t columns) {
  const int64_t size[2] = {n, n}, block[2] = {BLOCK, BLOCK}, grid[2] = {columns, rows};
  int64_t process[MOST];
  CHECK(dvm_distribution_block_cyclic(2, size, block, grid, &s->distribution));
  for (int64_t c = 0; c < columns; c++)
    for (int64_t r = 0; r < rows; r++) {
      process[c * rows + r] = r * columns + c;
      if (r * columns + c == me)
        s->own = c * rows + r;
    }
  CHECK(dvm_distribution_set_processes(s->distribution, process, rows * columns));
  s->block[0] = s->block[1] = BLOCK;
  s->grid[0] = (int)rows, s->grid[1] = (int)columns;
}

static void layouts(const char *name, int64_t n) {
  int64_t rows = processes % 2 ? processes : 2, columns = processes / rows;
  if (!strcmp(name, "rows-to-columns")) {
    layout(&source, n, 0, 0, processes, 1);
    layout(&target, n, 0, 0, 1, processes);
  } else if (!strcmp(name, "64-to-96")) {
    layout(&source, n, BLOCK, BLOCK, rows, columns);
    layout(&target, n, WIDER, WIDER, rows, columns);
  } else if (!strcmp(name, "transposed")) {
    transposed = 1;
    layout(&source, n, BLOCK, BLOCK, rows, columns);
    transposed_layout(&target, n, rows, columns);
  } else {
    fprintf(stderr, "no case '%s'\n", name);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static void memories(side_t *s) {
  size_t size;
  void *at;
  int64_t stride[2];
  CHECK(dvm_distribution_size(s->distribution, s->own, &s->size));
  CHECK(dvm_distribution_strides(s->distribution, s->own, stride, 2));
  s->leading = stride[0] > stride[1] ? stride[0] : stride[1];
  CHECK(dvm_data_allocate((size_t)s->size * sizeof(double), &s->id[s->own]));
  CHECK(dvm_data_get(s->id[s->own], &at, &size));
  s->at = at;
  memset(at, 0, size);
}

/* ----- MPI_Alltoallw ----- */

static MPI_Datatype send_type[MOST], receive_type[MOST];
static int ones[MOST], zeros[MOST], send_count[MOST], receive_count[MOST];

/* One side of all copies between two processes as a datatype. */
static MPI_Datatype side_type(int64_t copies, int64_t from, int64_t to, int is_source, int *count) {
  MPI_Datatype *part = malloc((size_t)copies * sizeof *part), whole;
  MPI_Aint *place = malloc((size_t)copies * sizeof *place);
  int *one = malloc((size_t)copies * sizeof *one), parts = 0;
  for (int64_t k = 0; k < copies; k++) {
    int64_t d[5 + 3 * 16];
    CHECK(dvm_redistribution_descriptor(plan, k, d, 5 + 3 * 16));
    if (d[0] != from || d[1] != to)
      continue;
    MPI_Datatype type = MPI_DOUBLE;
    for (int64_t l = 0; l < d[4]; l++) {
      const int64_t stride = is_source ? d[6 + 3 * l] : d[7 + 3 * l];
      MPI_Datatype next;
      MPI_Type_create_hvector((int)d[5 + 3 * l], 1, (MPI_Aint)(stride * (int64_t)sizeof(double)), type, &next);
      if (l)
        MPI_Type_free(&type);
      type = next;
    }
    if (d[4] == 0)
      MPI_Type_contiguous(1, MPI_DOUBLE, &type);
    part[parts] = type, one[parts] = 1;
    place[parts++] = (MPI_Aint)((is_source ? d[2] : d[3]) * (int64_t)sizeof(double));
  }
  *count = parts > 0;
  MPI_Type_create_struct(parts, one, place, part, &whole);
  MPI_Type_commit(&whole);
  free(part), free(place), free(one);
  return whole;
}

static int64_t memory_of(const side_t *s, int process) {
  const int rows = s->grid[0], columns = s->grid[1];
  return transposed && s == &target ? (int64_t)(process % columns) * rows + process / columns : process;
}

static void make_types(void) {
  dvm_redistribution_figures_t figures = {.size = sizeof figures};
  CHECK(dvm_redistribution_figures(plan, sizeof(double), &figures));
  for (int p = 0; p < processes; p++) {
    send_type[p] = side_type(figures.descriptors, source.own, memory_of(&target, p), 1, &send_count[p]);
    receive_type[p] = side_type(figures.descriptors, memory_of(&source, p), target.own, 0, &receive_count[p]);
    ones[p] = 1;
  }
}

/* ----- ScaLAPACK ----- */

#ifdef SCALAPACK
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *da, double *b, int ib, int jb, int *db, int context);
void pdtran_(int *m, int *n, double *alpha, double *a, int *ia, int *ja, int *da, double *beta, double *c, int *ic, int *jc,
             int *dc);
static int descriptors[2][9], everybody;

static void describe(const side_t *s, int n, int *d) {
  int context;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", s->grid[0], s->grid[1]);
  memcpy(d, (int[]){1, context, n, n, s->block[0], s->block[1], 0, 0, (int)s->leading}, 9 * sizeof *d);
}

static void by_scalapack(int n) {
  if (transposed) {
    int one = 1;
    double alpha = 1, beta = 0;
    pdtran_(&n, &n, &alpha, source.at, &one, &one, descriptors[0], &beta, target.at, &one, &one, descriptors[0]);
  } else {
    Cpdgemr2d(n, n, source.at, 1, 1, descriptors[0], target.at, 1, 1, descriptors[1], everybody);
  }
}
#endif

/* ----- the measurement ----- */

/* Element (i, j) of the matrix is i * n + j. Fills the source, or counts what is wrong in the target. */
static int64_t visit(side_t *s, int64_t n, int read) {
  const int64_t r = me / s->grid[1], c = me % s->grid[1];
  int64_t column = 0, wrong = 0;
  for (int64_t j = 0; j < n; j++) {
    if (j / s->block[1] % s->grid[1] != c)
      continue;
    int64_t at = s->leading * column++;
    for (int64_t i = 0; i < n; i++)
      if (i / s->block[0] % s->grid[0] == r) {
        const double value = (double)(transposed && s == &target ? j * n + i : i * n + j);
        if (read)
          wrong += s->at[at] != value;
        else
          s->at[at] = value;
        at++;
      }
  }
  return wrong;
}

enum { MEMCPY, DVM, ALLTOALLW, SCALAPACK_WAY, WAYS };
static const char *names[WAYS] = {"memcpy", "dvm", "alltoallw", "scalapack"};

static void go(int way, int64_t n) {
  const size_t element = sizeof(double);
  const int64_t size = source.size < target.size ? source.size : target.size;
  switch (way) {
  case MEMCPY: memcpy(target.at, source.at, (size_t)size * sizeof(double)); break;
  case DVM: CHECK(dvm_redistribute(plan, 1, &element, source.id, target.id)); break;
  case ALLTOALLW:
    MPI_Alltoallw(source.at, send_count, zeros, send_type, target.at, receive_count, zeros, receive_type, MPI_COMM_WORLD);
    break;
  default:
#ifdef SCALAPACK
    by_scalapack((int)n);
#else
    (void)n;
#endif
  }
}

int main(int count, char **arguments) {
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &(int){0});
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const int64_t n = count > 2 ? atoll(arguments[2]) : 1000;
  const int runs = count > 3 ? atoi(arguments[3]) : 3;
  int64_t wrong = 0;
  CHECK(dvm_init_mpi(MPI_COMM_WORLD));
  layouts(count > 1 ? arguments[1] : "rows-to-columns", n);
  CHECK(dvm_redistribution_plan(source.distribution, target.distribution, DVM_REDISTRIBUTION_COLLECTIVE, &plan));
  memories(&source), memories(&target);
  make_types();
#ifdef SCALAPACK
  describe(&source, (int)n, descriptors[0]);
  describe(&target, (int)n, descriptors[1]);
  Cblacs_get(-1, 0, &everybody);
  Cblacs_gridinit(&everybody, "Row", 1, processes);
#endif
  visit(&source, n, 0);
  for (int run = -1; run < runs; run++) /* the first one warms all up */
    for (int way = 0; way < WAYS; way++) {
#ifndef SCALAPACK
      if (way == SCALAPACK_WAY)
        continue;
#endif
      double took, longest;
      if (run < 0)
        memset(target.at, 0, (size_t)target.size * sizeof(double));
      MPI_Barrier(MPI_COMM_WORLD);
      took = MPI_Wtime();
      go(way, n);
      took = MPI_Wtime() - took;
      MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (run >= 0 && me == 0)
        printf("%s %.9f\n", names[way], longest);
      if (way != MEMCPY)
        wrong += visit(&target, n, 1);
      else
        memset(target.at, 0, (size_t)target.size * sizeof(double));
    }
  if (wrong)
    fprintf(stderr, "process %d: %lld elements are wrong\n", me, (long long)wrong);
  CHECK(dvm_finalize());
  MPI_Finalize();
  return wrong != 0;
}
