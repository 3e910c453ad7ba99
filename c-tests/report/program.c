/* A program that only uses the report's interface, and dvm_init and dvm_finalize, which the report's
 * text names. It compiles with dvm.h, and, with DVM_TEST_LISTING_ALONE, with the listing alone: both must
 * link with libdvm and run. */
#ifdef DVM_TEST_LISTING_ALONE
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { DVMSUCCESS = 0 } dvm_retcode_t;
#include "types.h"
#include "prototypes.h"
dvm_retcode_t dvm_init(void);
dvm_retcode_t dvm_finalize(void);
#ifdef __cplusplus
}
#endif
#else
#include <dvm.h>
#endif

#include <stdio.h>

#ifdef __cplusplus
#define CALLBACK(f) ((int (*)())(void (*)())(f)) /* () is (void) there */
#else
#define CALLBACK(f) (f)
#endif

#define EXPECT(condition)                                                      \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
            return 1;                                                          \
        }                                                                      \
    } while (0)

#define PIECES 10

static double source[PIECES], target[PIECES];
static int freed[2 * PIECES];
static int sum_ran;

/* The identifiers of the pieces, from which a processing finds its memory. */
static dvm_data_id_t ids[2 * PIECES];

static double *memory_of(dvm_data_id_t id)
{
    int k;
    for (k = 0; k < 2 * PIECES; k++)
        if (ids[k][0] == id[0] && ids[k][1] == id[1])
            return k < PIECES ? &source[k] : &target[k - PIECES];
    return NULL;
}

static int twice(dvm_data_id_t from, dvm_data_id_t to)
{
    *memory_of(to) = 2 * *memory_of(from);
    return 0;
}

static int sum(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t c, dvm_data_id_t d, dvm_data_id_t e, dvm_data_id_t f,
               dvm_data_id_t g, dvm_data_id_t h, dvm_data_id_t i, dvm_data_id_t j)
{
    sum_ran = memory_of(a) == &source[0] && memory_of(b) == &source[1] && memory_of(c) == &source[2] &&
              memory_of(d) == &source[3] && memory_of(e) == &source[4] && memory_of(f) == &source[5] &&
              memory_of(g) == &source[6] && memory_of(h) == &source[7] && memory_of(i) == &source[8] &&
              memory_of(j) == &source[9];
    return 0;
}

static void on_free(void *addr, size_t size)
{
    double *piece = (double *)addr;
    if (size == sizeof *piece)
        freed[piece >= source && piece < source + PIECES ? piece - source : PIECES + (piece - target)]++;
}

int main(void)
{
    dvm_rank_t rank, size;
    dvm_processing_id_t twice_id, sum_id, none;
    dvm_data_id_t scratch;
    char description[] = "two times";
    char unknown[] = "there_is_no_such_function";
    uint64_t load = 99;
    int dimension = 0, k;

    EXPECT(dvm_init() == DVMSUCCESS);
    EXPECT(dvm_rank_dimension(&dimension) == DVMSUCCESS);
    EXPECT(dimension >= 1 && dimension <= DVM_MAX_RANK_DEPTH);
    EXPECT(dvm_rank_size(size, DVM_MAX_RANK_DEPTH) == DVMSUCCESS);
    EXPECT(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH) == DVMSUCCESS);
    for (k = 0; k < dimension; k++)
        EXPECT(rank[k] < size[k]);

    EXPECT(dvm_processing_register(CALLBACK(twice), 2, description, twice_id) == DVMSUCCESS);
    EXPECT(dvm_processing_register(CALLBACK(sum), PIECES, NULL, sum_id) == DVMSUCCESS);
    EXPECT(dvm_processing_register_by_name(unknown, 1, none) != DVMSUCCESS);

    for (k = 0; k < PIECES; k++) {
        source[k] = k + 1;
        EXPECT(dvm_data_register(&source[k], sizeof source[k], on_free, &ids[k]) == DVMSUCCESS);
        EXPECT(dvm_data_register(&target[k], sizeof target[k], on_free, &ids[PIECES + k]) == DVMSUCCESS);
        EXPECT(dvm_data_acquire(ids[k]) == DVMSUCCESS); /* two tasks read it */
    }
    for (k = 0; k < PIECES; k++)
        EXPECT(dvm_sched_onto(rank, twice_id, ids[k], ids[PIECES + k]) == DVMSUCCESS);
    EXPECT(dvm_sched_onto(rank, sum_id, ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6], ids[7], ids[8], ids[9]) ==
           DVMSUCCESS);
    EXPECT(dvm_sched_load(rank, &load) == DVMSUCCESS);
    EXPECT(load <= PIECES + 1);

    EXPECT(dvm_data_allocate(100, &scratch) == DVMSUCCESS);
    EXPECT(dvm_data_relax(scratch) == DVMSUCCESS);
    EXPECT(dvm_data_relax(scratch) != DVMSUCCESS);
    EXPECT(dvm_processing_unregister(&twice_id) == DVMSUCCESS);
    EXPECT(dvm_processing_unregister(&sum_id) == DVMSUCCESS);
    EXPECT(dvm_finalize() == DVMSUCCESS);

    EXPECT(sum_ran);
    for (k = 0; k < PIECES; k++) {
        EXPECT(target[k] == 2 * (k + 1));
        EXPECT(freed[k] == 1 && freed[PIECES + k] == 1);
    }
    printf("report: the listing's program ran\n");
    return 0;
}
