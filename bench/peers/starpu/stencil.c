/* d, StarPU: tasks that read three handles and write one, in two rows that take turns. */
#include "starpu_work.h"

static uint64_t rows[2][BENCH_WIDTH];

static void run(void *buffers[], void *argument)
{
    uint64_t *value[4];
    (void)argument;
    for (int i = 0; i < 4; i++)
        value[i] = (uint64_t *)STARPU_VARIABLE_GET_PTR(buffers[i]);
    *value[3] = stencil_point(*value[0], *value[1], *value[2]);
    bench_ran();
}

static struct starpu_codelet codelet = {
    .cpu_funcs = {run}, .nbuffers = 4, .modes = {STARPU_R, STARPU_R, STARPU_R, STARPU_W}, .name = "point"};

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    starpu_data_handle_t handles[2][BENCH_WIDTH];
    starpu_begin(bench.workers);
    for (int pass = 0; pass < 2; pass++) {
        size_t steps = bench_size(&bench, pass);
        stencil_begin(rows[0]);
        for (size_t i = 0; i < 2 * BENCH_WIDTH; i++)
            handles[i / BENCH_WIDTH][i % BENCH_WIDTH] = starpu_variable(&rows[i / BENCH_WIDTH][i % BENCH_WIDTH], sizeof(uint64_t));
        bench_start(&bench);
        for (size_t t = 0; t < steps; t++)
            for (size_t i = 0; i < BENCH_WIDTH; i++) {
                struct starpu_task *task = starpu_task_create();
                task->cl = &codelet;
                task->handles[0] = handles[t % 2][stencil_left(i)];
                task->handles[1] = handles[t % 2][i];
                task->handles[2] = handles[t % 2][stencil_right(i)];
                task->handles[3] = handles[(t + 1) % 2][i];
                starpu_submit(task);
            }
        starpu_need(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
        bench_stop(&bench);
        for (size_t i = 0; i < 2 * BENCH_WIDTH; i++)
            starpu_data_unregister(handles[i / BENCH_WIDTH][i % BENCH_WIDTH]);
        bench_expect("tasks", bench_total(), steps * BENCH_WIDTH);
        stencil_check(rows[steps % 2], steps);
    }
    starpu_shutdown();
    return bench_report(&bench, bench.size * BENCH_WIDTH);
}
