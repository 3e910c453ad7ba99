// What the oneTBB programs share.
#pragma once

#include "work.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

// Runs `body` in an arena of `workers` threads, of which the caller is one.
template <typename Body> void with_workers(int workers, Body body)
{
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
    tbb::task_arena arena(workers);
    arena.execute(body);
}
