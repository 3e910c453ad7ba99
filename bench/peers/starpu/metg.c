/* METG, StarPU: a handle for each point and each of two steps that take turns. */
#include "starpu_work.h"

#include "metg.h"

static char marks[2][METG_WIDTH];
static starpu_data_handle_t handles[2][METG_WIDTH];
static metg_t *running;

static void run(void *buffers[], void *argument)
{
    uintptr_t index = (uintptr_t)argument;
    (void)buffers;
    metg_task(running, (int)(index / METG_WIDTH), (int)(index % METG_WIDTH));
}

static struct starpu_codelet codelets[METG_MAX_INPUTS + 1];

static void metg_prepare(metg_t *graph)
{
    running = graph;
    starpu_begin(graph->workers);
    for (int i = 0; i < 2 * METG_WIDTH; i++)
        handles[i / METG_WIDTH][i % METG_WIDTH] = starpu_variable(&marks[i / METG_WIDTH][i % METG_WIDTH], 1);
    for (int inputs = 0; inputs <= METG_MAX_INPUTS; inputs++) {
        struct starpu_codelet *codelet = &codelets[inputs];
        starpu_codelet_init(codelet);
        codelet->cpu_funcs[0] = run;
        codelet->nbuffers = inputs + 1;
        codelet->modes[0] = STARPU_W;
        for (int i = 1; i <= inputs; i++)
            codelet->modes[i] = STARPU_R;
    }
}

static void metg_run(metg_t *graph)
{
    for (int step = 0; step < graph->steps; step++)
        for (int point = 0; point < METG_WIDTH; point++) {
            int inputs[METG_MAX_INPUTS];
            int count = metg_inputs(graph, step, point, inputs);
            struct starpu_task *task = starpu_task_create();
            task->cl = &codelets[count];
            task->cl_arg = (void *)((uintptr_t)step * METG_WIDTH + (uintptr_t)point);
            task->cl_arg_size = 0;
            task->handles[0] = handles[step % 2][point];
            for (int i = 0; i < count; i++)
                task->handles[1 + i] = handles[(step + 1) % 2][inputs[i]];
            starpu_submit(task);
        }
    starpu_need(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
}

static void metg_end(metg_t *graph)
{
    (void)graph;
    for (int i = 0; i < 2 * METG_WIDTH; i++)
        starpu_data_unregister(handles[i / METG_WIDTH][i % METG_WIDTH]);
    starpu_shutdown();
}
