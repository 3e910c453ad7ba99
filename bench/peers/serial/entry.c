/* entry, serial: loops of eight iterations that do next to nothing, one after the other. */
#include "work.h"

enum { TILES = 8 };

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    for (int pass = 0; pass < 2; pass++) {
        size_t loops = bench_size(&bench, pass);
        bench_start(&bench);
        for (size_t i = 0; i < loops; i++)
            for (int tile = 0; tile < TILES; tile++)
                bench_ran();
        bench_stop(&bench);
        bench_expect("tiles", bench_total(), TILES * loops);
    }
    return bench_report(&bench, bench.size);
}
