/* How a test tells the stand-in what to do. */
#ifndef STANDIN_H
#define STANDIN_H
#include <stdint.h>

extern int64_t standin_size[16]; /* sizes of tiles for graphs whose pragma gives none */
extern uint64_t standin_seed;    /* 0: tiles in increasing order; else: a random legal order */
extern uint64_t standin_ways;    /* 0: every entry runs as tiles; else: entries run in ways chosen by this number */
extern int standin_workers;      /* threads; more than one: ready tiles run at the same time */
extern int standin_refuse;       /* dvm_graph_start fails */
extern int standin_in_task;      /* dvm_region_run answers that it is called in a task */
extern int64_t standin_plain;    /* entries whose way was the original loops, or one tile */
extern int64_t standin_graphs;   /* graphs that were run */
extern int64_t standin_tiles;    /* tiles that were run in graphs */
extern int64_t standin_asked;    /* questions whether libdvm waits to start */
#endif
