/* Memory, StarPU: SIZE tasks that read one of 1,024 handles each, which the program holds until the last task is submitted. */
#include "starpu_work.h"

static uint64_t data[BENCH_DATA];

static void run(void *buffers[], void *argument)
{
    (void)buffers, (void)argument;
    bench_ran();
}

static struct starpu_codelet codelet = {.cpu_funcs = {run}, .nbuffers = 1, .modes = {STARPU_R}, .name = "empty"};

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    starpu_data_handle_t handles[BENCH_DATA];
    starpu_begin(bench.workers);
    for (size_t i = 0; i < BENCH_DATA; i++) {
        handles[i] = starpu_variable(&data[i], sizeof data[i]);
        starpu_need(starpu_data_acquire(handles[i], STARPU_W), "starpu_data_acquire");
    }
    bench_start(&bench);
    for (size_t i = 0; i < bench.size; i++) {
        struct starpu_task *task = starpu_task_create();
        task->cl = &codelet;
        task->handles[0] = handles[i % BENCH_DATA];
        starpu_submit(task);
    }
    bench_expect("tasks that ran too early", bench_total(), 0);
    for (size_t i = 0; i < BENCH_DATA; i++)
        starpu_data_release(handles[i]);
    starpu_need(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
    bench_stop(&bench);
    bench_expect("tasks", bench_total(), bench.size);
    for (size_t i = 0; i < BENCH_DATA; i++)
        starpu_data_unregister(handles[i]);
    starpu_shutdown();
    return bench_report(&bench, bench.size);
}
