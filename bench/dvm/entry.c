/* entry: loops of eight tiles that do next to nothing, one after the other: what the entry into a region costs that
 * becomes several tiles. */
#include "dvm_work.h"

enum { TILES = 8 };

static int run(void *context, const int64_t *tile)
{
    (void)context, (void)tile;
    bench_ran();
    return 0;
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    dvm_begin(&bench);
    const int64_t lower = 0, upper = TILES - 1;
    const dvm_graph_t graph = { .size = sizeof graph, .name = "entry", .dimension = 1, .lower = &lower, .upper = &upper,
                                .run = run };
    for (int pass = 0; pass < 2; pass++) {
        size_t loops = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < loops; i++)
            need(dvm_region_run(&graph));
        bench_stop(&bench);
        bench_expect("tiles", bench_total(), TILES * loops);
    }
    need(dvm_finalize());
    return bench_report(&bench, bench.size);
}
