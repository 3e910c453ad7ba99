/* c, StarPU: tasks that submit tasks. VARIANT `datum`: each task reads a handle of its own, which goes with it. */
#include "starpu_work.h"

static void node(void *buffers[], void *argument);
static void node_on(void *buffers[], void *argument);

static struct starpu_codelet plain = {.cpu_funcs = {node}, .nbuffers = 0, .name = "node"};
static struct starpu_codelet on_datum = {.cpu_funcs = {node_on}, .nbuffers = 1, .modes = {STARPU_R}, .name = "node on a datum"};

static void submit(size_t levels)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &plain;
    task->cl_arg = (void *)levels;
    task->cl_arg_size = 0;
    starpu_submit(task);
}

static void node(void *buffers[], void *argument)
{
    size_t levels = (size_t)argument;
    (void)buffers;
    bench_ran();
    if (levels > 0) {
        submit(levels - 1);
        submit(levels - 1);
    }
}

/* The handle is freed after the last task that reads it; so is the memory, which the task itself frees. */
static void submit_on(size_t levels)
{
    size_t *datum = malloc(sizeof *datum);
    *datum = levels;
    starpu_data_handle_t handle = starpu_variable(datum, sizeof *datum);
    struct starpu_task *task = starpu_task_create();
    task->cl = &on_datum;
    task->handles[0] = handle;
    starpu_submit(task);
    starpu_data_unregister_submit(handle);
}

static void node_on(void *buffers[], void *argument)
{
    size_t *datum = (size_t *)STARPU_VARIABLE_GET_PTR(buffers[0]), levels = *datum;
    (void)argument;
    bench_ran();
    free(datum);
    if (levels > 0) {
        submit_on(levels - 1);
        submit_on(levels - 1);
    }
}

int main(int argc, char **argv)
{
    bench_t bench = bench_begin(argc, argv);
    void (*first)(size_t) = strcmp(bench.variant, "datum") == 0 ? submit_on : submit;
    uint64_t tasks = 0;
    starpu_begin(bench.workers);
    for (int pass = 0; pass < 2; pass++) {
        size_t depth = bench_size(&bench, pass);
        tasks = (2ull << depth) - 1;
        bench_start(&bench);
        first(depth);
        starpu_need(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
        bench_stop(&bench);
        bench_expect("tasks", bench_total(), tasks);
    }
    starpu_shutdown();
    return bench_report(&bench, tasks);
}
