/* What the StarPU programs share: start with a number of CPU workers, and failing calls. */
#ifndef BENCH_STARPU_WORK_H
#define BENCH_STARPU_WORK_H

#include "work.h"

#include <starpu.h>

static inline void starpu_need(int code, const char *what)
{
    if (code != 0)
        bench_fail(what, strerror(code < 0 ? -code : code));
}

/* The scheduler `lws` is the fastest one for tasks this small. */
static inline void starpu_begin(int workers)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = workers;
    conf.ncuda = 0;
    conf.nopencl = 0;
    conf.sched_policy_name = getenv("STARPU_SCHED") ? NULL : "lws";
    starpu_need(starpu_init(&conf), "starpu_init");
    if (starpu_cpu_worker_get_count() != (unsigned)workers)
        bench_fail("starpu_init", "another number of workers");
}

static inline starpu_data_handle_t starpu_variable(void *address, size_t size)
{
    starpu_data_handle_t handle;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)address, size);
    return handle;
}

static inline void starpu_submit(struct starpu_task *task) { starpu_need(starpu_task_submit(task), "starpu_task_submit"); }

#endif
