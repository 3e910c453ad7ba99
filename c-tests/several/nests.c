/* Regions with the clause `across`: what all processes together compute is what the loops compute, in every process.
 *
 * arguments: 29 5 block 4x7x3
 * arguments: 23 6 cyclic 5
 * arguments: 31 4 cyclic(2),block 3x2x9
 * arguments: 18 3 block,cyclic@1x2 1x2x3
 * arguments: 40 7 cyclic(3) 8x5x6
 * arguments: 3 2 block,block 2
 *
 * library: nests_regions.c
 *
 * Numbers wrap, so no rounding hides an order that is wrong. Each nest is written twice: the one without a pragma runs in
 * each process by itself. A function of this program stands before libdvm's, and counts the regions that have run across. */
#include "several.h"
#include "library/nests.h"
#include <dlfcn.h>

static int ran_across;

/* What generated code calls: libdvm's function, counted. */
dvm_retcode_t dvm_across_run(const dvm_across_t *region, void *context, const dvm_across_array_t *arrays, uint64_t digest,
                             int willing, int *ran)
{
    static dvm_retcode_t (*run)(const dvm_across_t *, void *, const dvm_across_array_t *, uint64_t, int, int *);
    if (run == NULL)
        *(void **)&run = dlsym(RTLD_NEXT, "dvm_across_run");
    dvm_retcode_t code = run(region, context, arrays, digest, willing, ran);
    ran_across += code == DVM_SUCCESS && *ran;
    return code;
}

enum { ARRAYS = 3, NESTS = 9 };
static word *mine[ARRAYS], *alone[ARRAYS]; /* computed together, and by this process alone */
static size_t words;

/* Gives the arrays new values, equal ones in all processes. */
static void fill(word seed)
{
    for (int k = 0; k < ARRAYS; k++)
        for (size_t i = 0; i < words; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            mine[k][i] = alone[k][i] = seed >> 20;
        }
}

static void compare(const char *nest)
{
    for (int k = 0; k < ARRAYS; k++) {
        int equal = memcmp(mine[k], alone[k], words * sizeof(word)) == 0;
        CHECK(equal);
        if (!equal)
            fprintf(stderr, "nest %s: array %d differs\n", nest, k);
    }
}

#define M(k) (void *)mine[k]
#define A(k) (void *)alone[k]

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const int n = atoi(argv[1]), t = atoi(argv[2]);
    setenv("DVM_PLACE", argv[3], 1);
    setenv("DVM_TILE", argv[4], 1);
    setenv("DVM_TUNE", "0", 1);
    several_begin();
    words = (size_t)n * (size_t)(n > t ? n : t);
    for (int k = 0; k < ARRAYS; k++) {
        mine[k] = malloc(words * sizeof(word));
        alone[k] = malloc(words * sizeof(word));
    }
    fill(1);
    lu(n, M(0));
    lu_alone(n, A(0));
    compare("lu");
    fill(2);
    stencil(t, n, M(0), M(1));
    stencil_alone(t, n, A(0), A(1));
    compare("stencil");
    fill(3);
    product(n, M(0), M(1), M(2));
    product_alone(n, A(0), A(1), A(2));
    compare("product");
    fill(4);
    paths(n, M(0));
    paths_alone(n, A(0));
    compare("paths");
    fill(5);
    triangle(n, M(0), M(1));
    triangle_alone(n, A(0), A(1));
    compare("triangle");
    fill(6);
    crossing(t, n, M(0), M(1));
    crossing_alone(t, n, A(0), A(1));
    compare("crossing");
    fill(7);
    seidel(t, n, M(0));
    seidel_alone(t, n, A(0));
    compare("seidel");
    fill(8);
    sweeps(t, n, M(0), M(1));
    sweeps_alone(t, n, A(0), A(1));
    compare("sweeps");
    fill(9);
    maybe(t, n, M(0), M(1));
    maybe_alone(t, n, A(0), A(1));
    compare("maybe");
    CHECK(ran_across == (process_count > 1 ? NESTS : 0));
    return several_end("nests");
}
