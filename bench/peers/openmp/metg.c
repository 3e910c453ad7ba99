/* METG, OpenMP: tasks with `depend` on the results of the step before. */
#include "metg.h"

static void make(metg_t *graph, int step, int point)
{
    int n[METG_MAX_INPUTS];
    int count = metg_inputs(graph, step, point, n);
    uint64_t *out = &graph->results[(size_t)step * METG_WIDTH + point];
    const uint64_t *in = step > 0 ? &graph->results[(size_t)(step - 1) * METG_WIDTH] : out;
    (void)in; /* gcc does not see that `depend` uses it */
    switch (count) {
    case 0:
#pragma omp task depend(out : *out) firstprivate(graph, step, point)
        metg_task(graph, step, point);
        break;
    case 1:
#pragma omp task depend(in : in[n[0]]) depend(out : *out) firstprivate(graph, step, point)
        metg_task(graph, step, point);
        break;
    case 2:
#pragma omp task depend(in : in[n[0]], in[n[1]]) depend(out : *out) firstprivate(graph, step, point)
        metg_task(graph, step, point);
        break;
    case 3:
#pragma omp task depend(in : in[n[0]], in[n[1]], in[n[2]]) depend(out : *out) firstprivate(graph, step, point)
        metg_task(graph, step, point);
        break;
    case 4:
#pragma omp task depend(in : in[n[0]], in[n[1]], in[n[2]], in[n[3]]) depend(out : *out) firstprivate(graph, step, point)
        metg_task(graph, step, point);
        break;
    default:
#pragma omp task depend(in : in[n[0]], in[n[1]], in[n[2]], in[n[3]], in[n[4]]) depend(out : *out) firstprivate(graph, step, point)
        metg_task(graph, step, point);
    }
}

static void metg_prepare(metg_t *graph) { (void)graph; }

static void metg_run(metg_t *graph)
{
#pragma omp parallel num_threads(graph->workers)
#pragma omp single
    for (int step = 0; step < graph->steps; step++)
        for (int point = 0; point < METG_WIDTH; point++)
            make(graph, step, point);
}

static void metg_end(metg_t *graph) { (void)graph; }
