/* b, StarPU: tasks that update one handle in turn. */
#include "starpu_work.h"

static uint64_t datum;

static void run(void *buffers[], void *argument)
{
    (void)argument;
    ++*(uint64_t *)STARPU_VARIABLE_GET_PTR(buffers[0]);
    bench_ran();
}

static struct starpu_codelet codelet = {.cpu_funcs = {run}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "count up"};

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    starpu_begin(bench.workers);
    for (int pass = 0; pass < 2; pass++) {
        size_t tasks = bench_size(&bench, pass);
        datum = 0;
        starpu_data_handle_t handle = starpu_variable(&datum, sizeof datum);
        bench_start(&bench);
        for (size_t i = 0; i < tasks; i++) {
            struct starpu_task *task = starpu_task_create();
            task->cl = &codelet;
            task->handles[0] = handle;
            starpu_submit(task);
        }
        starpu_need(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
        bench_stop(&bench);
        starpu_data_unregister(handle);
        bench_expect("tasks", bench_total(), tasks);
        bench_expect("the datum", datum, tasks);
    }
    starpu_shutdown();
    return bench_report(&bench, bench.size);
}
