/* libdvm: every core of every process as one machine of processing units.
 *
 * Generated from the Rust sources by `DVM_BLESS=1 cargo test -p dvm-bindings`; do not edit.
 *
 * Rules that hold for every function and are not repeated (each section begins with those that hold for its functions):
 *
 *  - Pointers are never kept beyond the call, unless a function says so.
 *  - A call that fails changes nothing, writes no output and takes no reference, unless a function says so; it leaves
 *    its story with dvm_last_error().
 *  - Where libdvm is not running, what needs it answers DVM_ERR_NOT_INITIALIZED.
 *  - Every function can also return DVM_ERR_PANIC: libdvm has met a defect of its own.
 *
 * "Report" is the research report that introduced the interface; "added" marks what fills the holes that it leaves. */
#ifndef DVM_H
#define DVM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The report prints `char *description`, and so does this header in C. In C++ a literal is const char *, and so is the
 * description; the ABI is the same. */
#ifdef __cplusplus
#define DVM_CXX_CONST const
#else
#define DVM_CXX_CONST
#endif

/**
 * What a call of libdvm came to. The values are stable: a code is never renumbered and never reused.
 *
 * `dvm_strerror` gives the meaning of a code, `dvm_last_error` the message of the calling thread's last failure.
 * A call that fails changes nothing and takes no reference, unless its own text says otherwise.
 */
typedef enum {
    /**
     * The call did what it says.
     */
    DVM_SUCCESS = 0,
    /**
     * An argument is NULL, negative, of unknown mode, or of the wrong count.
     */
    DVM_ERR_ARGUMENT = 1,
    /**
     * libdvm is not running: before `dvm_init`, or after `dvm_finalize`.
     */
    DVM_ERR_NOT_INITIALIZED = 2,
    /**
     * `dvm_init` was called while libdvm is running.
     */
    DVM_ERR_ALREADY_INITIALIZED = 3,
    /**
     * No processing unit has this rank, or no processing unit has this index.
     */
    DVM_ERR_RANK = 4,
    /**
     * An array is too short for the dimension of the ranks, or longer than `DVM_MAX_RANK_DEPTH`.
     */
    DVM_ERR_SIZE = 5,
    /**
     * The datum (or distribution, plan, copy engine) is unknown: its id was never given, or it has been freed.
     */
    DVM_ERR_ID = 6,
    /**
     * The processing is unknown or has been unregistered.
     */
    DVM_ERR_PROCESSING = 7,
    /**
     * No function of this name can be found in the running program.
     */
    DVM_ERR_SYMBOL = 8,
    /**
     * All references of the datum are taken by tasks that are already scheduled.
     */
    DVM_ERR_NO_REFERENCE = 9,
    /**
     * The call does not fit the state of its object: put without get, second publish, second producer, and the like.
     */
    DVM_ERR_STATE = 10,
    /**
     * The datum is not published yet, and a task may not wait for it.
     */
    DVM_ERR_NOT_READY = 11,
    /**
     * The datum will never have a value: the task that was to produce it has failed or was cancelled.
     */
    DVM_ERR_POISONED = 12,
    /**
     * The call is not allowed inside a task or a free callback.
     */
    DVM_ERR_IN_TASK = 13,
    /**
     * At least one task has failed since the last wait.
     */
    DVM_ERR_TASK = 14,
    /**
     * The memory asked for is not to be had.
     */
    DVM_ERR_MEMORY = 15,
    /**
     * This build, or this way of launching, does not offer what was asked for.
     */
    DVM_ERR_UNSUPPORTED = 16,
    /**
     * Another process of the job has gone away.
     */
    DVM_ERR_PEER_LOST = 17,
    /**
     * libdvm has met a defect of its own; what it was doing may be half done.
     */
    DVM_ERR_PANIC = 18,
} dvm_retcode_t;

/**
 * The greatest number of components of a rank.
 */
#define DVM_MAX_RANK_DEPTH 8

/**
 * The greatest number of arguments of a callback registered with `dvm_processing_register` or
 * `dvm_processing_register_by_name`; `dvm_processing_register_v` has no such limit.
 */
#define DVM_MAX_PLAIN_ARGUMENTS 64

/**
 * Access mode of an argument: the task reads it, and takes over one of the caller's references. The default.
 */
#define DVM_IN 0

/**
 * Access mode of an argument: the task produces it.
 */
#define DVM_OUT 1

/**
 * Access mode of an argument: the task reads it, and takes a reference of its own. The caller keeps its references, so that
 * a datum may be given to many tasks without dvm_data_acquire.
 */
#define DVM_READ 2

/**
 * Access mode of an argument: the task updates it. The call that schedules the task makes the next version as
 * dvm_data_next does, and writes its id where it has read the argument's, before the task can begin: from then on the
 * caller's variable names the datum as it is after the task, with the one reference that the caller gave for it. The
 * function gets that id alone, and dvm_data_get gives it the bytes, which it may read and write. If nobody else refers
 * to the old version, nothing is copied; another argument that is the same datum has the old bytes. If the call fails,
 * the id stays as it was.
 */
#define DVM_INOUT 3

/**
 * The report's name of success.
 */
#define DVMSUCCESS DVM_SUCCESS

/**
 * The rank of a processing unit: its coordinates in the tree of the machine. Unused components are 0.
 */
typedef uint64_t dvm_rank_t[DVM_MAX_RANK_DEPTH];

/**
 * The id of a datum, unique on the whole machine for the life of the program: the home process, and a number that is never
 * given twice. {0, 0} is never given.
 */
typedef uint64_t dvm_data_id_t[2];

/**
 * The id of a processing: the process that registered it, and a number that is never given twice.
 */
typedef uint64_t dvm_processing_id_t[2];

/**
 * The callback of a processing, `f`, as dvm_processing_register() wants it. C before C23 needs no cast; in C++ and in
 * C23 an empty parameter list means no parameters, and a function of data ids does not convert by itself. (By way of
 * void (*)(void), which compilers take as a sign that the conversion is meant.)
 */
#define DVM_CALLBACK(f) ((int (*)())(void (*)(void))(f))

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
/**
 * Whether two ids are the same: those of data, or of processings.
 */
static inline int dvm_id_equal(const uint64_t *a, const uint64_t *b)
{
    return a[0] == b[0] && a[1] == b[1];
}

/**
 * Whether an id is {0, 0}, which is never given.
 */
static inline int dvm_id_is_none(const uint64_t *id)
{
    return id[0] == 0 && id[1] == 0;
}

/**
 * Copies an id. It takes no reference: dvm_data_acquire does.
 */
static inline void dvm_id_copy(uint64_t *to, const uint64_t *from)
{
    to[0] = from[0];
    to[1] = from[1];
}
#endif

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
/**
 * dvm_sched_onto(rank, function, ids...) with exactly `count` ids, a constant: another number of ids does not compile, and
 * an argument that is no id gets the compiler's warning. C99 and later; dvm.hpp counts for C++.
 */
#define DVM_SCHED_ONTO(count, ...) \
    ((void)sizeof(struct { int count_is_a_constant : (count) >= 0 ? 1 : -1; }), \
     (void)sizeof(char[sizeof((const uint64_t *[]){__VA_ARGS__}) / sizeof(const uint64_t *) == (count) + 2 ? 1 : -1]), \
     dvm_sched_onto(__VA_ARGS__))
#endif

/* ----- The version ----- */

/**
 * The first number of this header's version: another one changes or removes what was there.
 */
#define DVM_VERSION_MAJOR 0

/**
 * The second number of this header's version: a higher one adds. Before 1.0 it may also change what was there.
 */
#define DVM_VERSION_MINOR 1

/**
 * The third number of this header's version: a higher one corrects defects.
 */
#define DVM_VERSION_PATCH 0

/**
 * The version of this header as one number that grows: 10000 times the first, 100 times the second, and the third.
 */
#define DVM_VERSION 100

/**
 * @brief The version of the library that the program runs with.
 *
 * It may be higher than DVM_VERSION, the version of the header that the program was compiled with: docs/abi.md says which
 * libraries a program can run with.
 *
 * @return the version, as DVM_VERSION counts
 *
 * Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
 * Source: added to the report's interface.
 */
int dvm_version(void);

/* ----- Starting, waiting and ending -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: one thread at a time, no task.
 */

/**
 * @brief Start libdvm: look at the machine and start one worker thread per processing unit.
 *
 * Collective over the processes of the job: those that dvmrun has started; else those of MPI_COMM_WORLD, if the program
 * has initialised MPI, or a launcher such as mpirun has started several processes; else this process alone.
 * DVM_TRANSPORT decides otherwise, and `dvm-info --transports` tells. The processes of a host share its processing units
 * out between them. After dvm_finalize the function may be called again, in all processes and over the same
 * connections; ids are not given again. When libdvm was started on behalf of generated code, the call succeeds and the
 * caller becomes responsible for dvm_finalize; the process stays alone then, unless the regions of the program run on
 * several processes (clause `across`).
 *
 * If MPI was initialised below MPI_THREAD_MULTIPLE, and processes are reached by MPI, only the thread that calls
 * dvm_init makes calls of MPI, inside dvm_wait, dvm_serve and dvm_finalize.
 *
 * @retval DVM_SUCCESS                  libdvm is running
 * @retval DVM_ERR_ALREADY_INITIALIZED  it was running already
 * @retval DVM_ERR_IN_TASK              called inside a task or a free callback
 * @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
 * @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
 * @retval DVM_ERR_MEMORY               the threads could not be started
 * @retval DVM_ERR_PEER_LOST            another process has ended meanwhile
 * @retval DVM_ERR_UNSUPPORTED          the machine's topology cannot be read; or several processes were started and there
 *                                      is no way to reach them, such as no plugin for their MPI: no process is silently
 *                                      alone; or two processes have different builds of libdvm; or this process was
 *                                      forked while libdvm was running: the workers stayed in the parent, and every
 *                                      other call answers DVM_ERR_NOT_INITIALIZED here; or a region with the clause
 *                                      `across` has run before on several processes, which do not run main
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_init(void);

/**
 * @brief Start libdvm beside an MPI program, on the processes of one of its communicators.
 *
 * Collective over the communicator's processes; the others of the program go on without libdvm. As dvm_init otherwise.
 * libdvm duplicates the communicator, so its messages meet none of the program's, and the program may free the
 * communicator afterwards. libdvm does not finalize the MPI of a program: call dvm_finalize before MPI_Finalize.
 * In C, dvm_init_mpi of dvm_mpi.h takes an MPI_Comm; in Fortran, a communicator of module mpi is the number itself, and
 * one of module mpi_f08 has it in MPI_VAL.
 *
 * @param[in] fortran_comm  the communicator as MPI_Comm_c2f gives it
 * @retval DVM_SUCCESS                  libdvm is running
 * @retval DVM_ERR_ALREADY_INITIALIZED  libdvm is running already
 * @retval DVM_ERR_IN_TASK              called inside a task or a free callback
 * @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize; or MPI is not initialised, or
 *                                      has been finalized
 * @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
 * @retval DVM_ERR_MEMORY               the threads could not be started
 * @retval DVM_ERR_PEER_LOST            another process has ended meanwhile
 * @retval DVM_ERR_UNSUPPORTED          the program has no MPI, there is no plugin for it, or the communicator is not one
 *                                      of it; or what dvm_init tells by this code
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_init_comm(int fortran_comm);

/**
 * @brief Wait for all tasks, end libdvm, and free all data that are left, calling their free callbacks.
 *
 * Collective: it returns when no task can run in any process, and nothing is under way between them; all processes call
 * it, also those that have served. Threads outside tasks are refused first: as soon as the call has begun, whatever makes
 * something new (scheduling, register, allocate, promise, next, graphs, redistributions) answers them
 * DVM_ERR_NOT_INITIALIZED, and so does every call of theirs once all tasks have ended. Until then they may publish, get and
 * put. Tasks may go on scheduling, and the call returns when no task can run any more: tasks that schedule for ever put it
 * off for ever.
 * Tasks that wait for data which nobody has published are cancelled then. Memory obtained by dvm_data_get is
 * gone afterwards, also when it was not put. The codes DVM_ERR_TASK and DVM_ERR_STATE (the first meaning) report
 * what went wrong before; libdvm has ended all the same. So it has after a loss of a process, which is told once by a
 * wait, or here.
 *
 * @retval DVM_SUCCESS              libdvm has ended
 * @retval DVM_ERR_TASK             libdvm has ended; tasks had failed and no wait had reported it
 * @retval DVM_ERR_STATE            libdvm has ended; tasks waited for data that nobody published and were cancelled.
 *                                  Or: another thread is in init, wait, serve or finalize, and nothing was done
 * @retval DVM_ERR_ARGUMENT         libdvm has ended; the file of DVM_TRACE, DVM_DOT or DVM_PROFILE could not be written
 * @retval DVM_ERR_PEER_LOST        libdvm has ended; a process was lost and no wait had reported it, or the job had ended
 *                                  by the loss of process 0
 * @retval DVM_ERR_NOT_INITIALIZED  it was not running
 * @retval DVM_ERR_IN_TASK          called inside a task or a free callback
 *
 * Thread safety: one thread at a time (others get DVM_ERR_STATE, or DVM_ERR_NOT_INITIALIZED once it has ended), no task.
 * Calls that other threads make meanwhile are safe and find libdvm running or not. Source: added to the report's interface.
 */
dvm_retcode_t dvm_finalize(void);

/**
 * @brief Wait until every scheduled task has ended, in all processes.
 *
 * Collective: a process that serves takes part by that. The caller sleeps, or passes messages on. All processes get the
 * same verdict; of several failures the message is that of the lowest process. After a loss of a process the call
 * returns all the same: what only that process had is poisoned, and its tasks have failed. Failures of tasks since the
 * last wait are reported once, here. A task that was only cancelled, because of a failure that was reported before, is no
 * failure of its own.
 *
 * @retval DVM_SUCCESS              all tasks have ended, none has failed since the last wait
 * @retval DVM_ERR_TASK             all tasks have ended, some have failed, in any process: dvm_last_error names processings,
 *                                  codes and data
 * @retval DVM_ERR_PEER_LOST        a process was lost since the last wait, told once: dvm_last_error names it. Or process 0
 *                                  is lost, or has declared this process lost: the job has ended
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 * @retval DVM_ERR_IN_TASK          called inside a task or a free callback
 * @retval DVM_ERR_STATE            another thread is in init, wait, serve or finalize
 *
 * Thread safety: one thread at a time, no task; other threads may schedule and publish meanwhile.
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_wait(void);

/**
 * @brief Work until process 0 finalizes: for the processes of a job that run no program of their own.
 *
 * Collective: it returns when process 0 has called dvm_finalize and no task can run any more; dvm_finalize is to follow.
 * Meanwhile the process runs tasks, keeps data, and takes part in each dvm_wait of the others.
 *
 * @retval DVM_SUCCESS              process 0 finalizes; nothing has failed since the last wait
 * @retval DVM_ERR_TASK             process 0 finalizes; tasks had failed and no wait had reported it
 * @retval DVM_ERR_PEER_LOST        a process was lost, told once; or process 0 is lost, or has declared this process lost
 * @retval DVM_ERR_UNSUPPORTED      this is process 0, which does not serve: it calls dvm_wait and dvm_finalize
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 * @retval DVM_ERR_IN_TASK          called inside a task or a free callback
 * @retval DVM_ERR_STATE            another thread is in init, wait, serve or finalize
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_serve(void);

/**
 * @brief Which process of the job this is, and how many there are.
 *
 * The indices are those of dvmrun, or the ranks of the communicator that the job was made from. They do not change
 * when a process is lost.
 *
 * @param[out] index  the calling process, from 0
 * @param[out] count  the number of processes, 1 for a process that is alone
 * @retval DVM_SUCCESS              both are written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_process(uint64_t *index,
                          uint64_t *count);

/* ----- Ranks: the coordinates of the processing units -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 */

/**
 * @brief The number of components of a rank.
 *
 * It is the same on all processes and at most DVM_MAX_RANK_DEPTH.
 *
 * @param[out] dimension  the number of components
 * @retval DVM_SUCCESS              dimension is written
 * @retval DVM_ERR_ARGUMENT         dimension is NULL
 *
 * Source: report, section 4.2.4, ranking.
 */
dvm_retcode_t dvm_rank_dimension(int *dimension);

/**
 * @brief The rank of the executor: in a task, of the processing unit that runs it; elsewhere, of the first
 * processing unit of the calling process.
 *
 * Component 0 is the host; the others are the levels of the machine tree that branch, outermost first.
 *
 * @param[out] rank_array      the components; those beyond the dimension become 0
 * @param[in]  rank_array_size the number of components to write, from the dimension to DVM_MAX_RANK_DEPTH
 * @retval DVM_SUCCESS              rank_array is written
 * @retval DVM_ERR_ARGUMENT         rank_array is NULL, or rank_array_size is negative
 * @retval DVM_ERR_SIZE             rank_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
 *
 * Source: report, section 4.2.4, ranking.
 */
dvm_retcode_t dvm_rank_get(dvm_rank_t rank_array, int rank_array_size);

/**
 * @brief For each component of a rank, the largest number of siblings.
 *
 * @param[out] size_array      the sizes; those beyond the dimension become 0
 * @param[in]  size_array_size the number of sizes to write, from the dimension to DVM_MAX_RANK_DEPTH
 * @retval DVM_SUCCESS              size_array is written
 * @retval DVM_ERR_ARGUMENT         size_array is NULL, or size_array_size is negative
 * @retval DVM_ERR_SIZE             size_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
 *
 * Source: report, section 4.2.4, ranking.
 */
dvm_retcode_t dvm_rank_size(dvm_rank_t size_array, int size_array_size);

/**
 * @brief The number of processing units of all processes together.
 *
 * @param[out] count  the number of processing units, at least 1
 * @retval DVM_SUCCESS              count is written
 * @retval DVM_ERR_ARGUMENT         count is NULL
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_rank_count(uint64_t *count);

/**
 * @brief The rank of the processing unit with this index, so that a program can walk over all of them.
 *
 * @param[in]  index           0 to the count of dvm_rank_count, exclusive
 * @param[out] rank_array      the components; those beyond the dimension become 0
 * @param[in]  rank_array_size the number of components to write, from the dimension to DVM_MAX_RANK_DEPTH
 * @retval DVM_SUCCESS              rank_array is written
 * @retval DVM_ERR_RANK             no processing unit has this index
 * @retval DVM_ERR_ARGUMENT         rank_array is NULL, or rank_array_size is negative
 * @retval DVM_ERR_SIZE             rank_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_rank_at(uint64_t index, dvm_rank_t rank_array, int rank_array_size);

/**
 * @brief The distance of two processing units.
 *
 * 0 for the same one; it grows with the depth of the smallest part of the machine that holds both, and follows the
 * machine's latency matrix where there is one. It is symmetric.
 *
 * @param[in]  a         a rank, all DVM_MAX_RANK_DEPTH components
 * @param[in]  b         a rank, all DVM_MAX_RANK_DEPTH components
 * @param[out] distance  the distance, without unit
 * @retval DVM_SUCCESS              distance is written
 * @retval DVM_ERR_RANK             a or b is the rank of no processing unit
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_rank_distance(const dvm_rank_t a,
                                const dvm_rank_t b,
                                uint64_t *distance);

/* ----- Data: blobs of bytes with an id and references -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 * 
 * # Over processes
 * The process that makes a datum is its home, word 0 of the id. Any process may use the id; how it gets there is the
 * program's affair, for example in a datum. References belong to the process that holds them: who has none of a datum
 * of another home asks that home, while the call goes on. So DVM_ERR_NO_REFERENCE, and DVM_ERR_ID for an id that home
 * does not know, are found at once at home only; elsewhere the next dvm_wait tells them, as a failed task.
 * DVM_ERR_PEER_LOST: the home of the datum is lost.
 */

/**
 * @brief Make a datum of memory that exists. The bytes are not copied.
 *
 * The datum is published and has one reference. The memory belongs to libdvm until free_cb is called (or, without
 * free_cb, until the last reference has gone). The caller may write to it until the datum is first scheduled.
 *
 * @param[in]  addr     the memory
 * @param[in]  size     its size in bytes; 0 is legal
 * @param[in]  free_cb  NULL, or what to call exactly once, as free_cb(addr, size), when the last reference of the
 *                      datum, or of the last one that carries its storage on (dvm_data_next), has gone; it runs on
 *                      any thread, with no lock of libdvm held, and may call what a task may call; what it throws ends
 *                      there, and the next dvm_wait, or dvm_finalize, reports it as a task that failed
 * @param[out] id       the id of the new datum
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         addr or id is NULL, or addr and size wrap around
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * Source: report, section 4.2.4, data management.
 */
dvm_retcode_t dvm_data_register(void *addr,
                                size_t size,
                                void (*free_cb)(void *addr, size_t size),
                                dvm_data_id_t *id);

/**
 * @brief Make a datum of new memory, zeroed and aligned to 64 bytes.
 *
 * The datum is published and has one reference; its memory is freed after the last one has gone. It may be written,
 * through dvm_data_get, until it is first scheduled.
 *
 * @param[in]  size  the size in bytes; 0 is legal
 * @param[out] id    the id of the new datum
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_MEMORY           there is not that much memory
 *
 * Source: report, section 4.2.4, data management.
 */
dvm_retcode_t dvm_data_allocate(size_t size,
                                dvm_data_id_t *id);

/**
 * @brief Add a reference to a datum.
 *
 * Each task takes one reference of each of its inputs: a datum that n tasks read needs n - 1 acquires.
 *
 * Of a datum of another home the calling process gets a reference of its own; if it held none, home is asked, and no
 * call waits for the answer.
 *
 * @param[in] id  the datum
 * @retval DVM_SUCCESS              the datum has one reference more
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            the datum ends with the task that reads it now, because that task carries its
 *                                  storage on in place (dvm_data_next)
 * @retval DVM_ERR_PEER_LOST        the home of the datum is lost
 *
 * Source: report, section 4.2.4, data management.
 */
dvm_retcode_t dvm_data_acquire(dvm_data_id_t id);

/**
 * @brief Drop a reference of a datum. When the last one goes, the datum is freed, or free_cb is called.
 *
 * @param[in] id  the datum
 * @retval DVM_SUCCESS              the datum has one reference less; when it was the last one, the id is stale now
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_NO_REFERENCE     all references are taken by tasks that are already scheduled
 * @retval DVM_ERR_PEER_LOST        the home of the datum is lost
 *
 * Source: report, section 4.2.4, data management.
 */
dvm_retcode_t dvm_data_relax(dvm_data_id_t id);

/**
 * @brief Address and size of a datum on the calling process.
 *
 * In a task the address is good until dvm_data_put or until the task ends; elsewhere until dvm_data_put. Gets nest.
 * The bytes and free_cb wait for the last put. Outside tasks the call waits until the datum is published. A task
 * reaches its own outputs at any time, and writes them here; everything else that is published is for reading, apart
 * from registered and allocated data that were not scheduled yet.
 *
 * Bytes of another process are brought here first, and the call waits for them, also in a task, whose worker does other
 * tasks meanwhile; the address is that of a copy, which is for reading. Only arguments of the task are here already.
 *
 * @param[in]  id    the datum
 * @param[out] addr  the address of its bytes
 * @param[out] size  their number
 * @retval DVM_SUCCESS              addr and size are written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_NOT_READY        in a task or a free callback: the datum is not published yet; schedule a task on it
 * @retval DVM_ERR_POISONED         the task that was to produce the datum has failed or was cancelled
 * @retval DVM_ERR_STATE            the storage is being carried on in place by a task (dvm_data_next), or 2^32 - 1 gets
 *                                  have not been put
 * @retval DVM_ERR_MEMORY           no memory for the bytes
 * @retval DVM_ERR_PEER_LOST        the home of the datum is lost, or the bytes were with it
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_get(const dvm_data_id_t id,
                           void **addr,
                           size_t *size);

/**
 * @brief End one dvm_data_get.
 *
 * @param[in] id  the datum
 * @retval DVM_SUCCESS              one get less
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            put without get: the task (or, outside tasks, the program) holds none
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_put(const dvm_data_id_t id);

/**
 * @brief Make the id of a datum whose bytes do not exist yet.
 *
 * The datum starts with one reference. A task that reads it waits, taking no worker, until the datum is published.
 * The datum has one producer: the task whose output it is, or the caller of dvm_data_write and then dvm_data_publish.
 *
 * @param[in]  size  the size in bytes; 0 is legal
 * @param[out] id    the id of the new datum
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_MEMORY           no machine has that much memory, or none is left for the bookkeeping
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_promise(size_t size,
                               dvm_data_id_t *id);

/**
 * @brief Become the producer of a promise by hand: address and size of the memory to write, zeroed.
 *
 * The production ends with dvm_data_publish, after which the bytes do not change any more. Until then the memory
 * stays, also when the last reference goes.
 *
 * @param[in]  id    the promise
 * @param[out] addr  the address of its bytes
 * @param[out] size  their number
 * @retval DVM_SUCCESS              addr and size are written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            it is published, or has a producer, or carries on another datum (dvm_data_next), or is
 *                                  a promise of another process: that one writes it, or a task that has it as an output
 * @retval DVM_ERR_POISONED         it was poisoned
 * @retval DVM_ERR_MEMORY           no memory for the bytes
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_write(const dvm_data_id_t id,
                             void **addr,
                             size_t *size);

/**
 * @brief Publish a promise: its bytes exist now, and tasks that wait for it can run.
 *
 * A promise that nobody has written is published as zeros. The output of a task is published when the task ends with
 * 0; the task itself may publish it earlier.
 *
 * @param[in] id  the promise
 * @retval DVM_SUCCESS              the datum is published
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            it is published already, or it is the output of another task, or it carries on
 *                                  another datum (dvm_data_next) and the caller is not the task that it is an output of,
 *                                  or it is a promise of another process and the caller is not that task
 * @retval DVM_ERR_POISONED         it was poisoned
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_publish(const dvm_data_id_t id);

/**
 * @brief Make a promise that carries on the storage of a datum: in-place update with single-assignment meaning.
 *
 * The new promise has the size of the current datum, starts with one reference and takes none of the current one. It
 * can only be the output of a task that also reads the current datum. When that task starts, holds the current
 * datum's last references, and nobody holds a get of it, the new datum is the same memory and nothing is copied; the
 * current datum then ends with the task. Otherwise the new datum begins as a copy, aligned to 64 bytes.
 *
 * Over processes the memory is carried on where the task runs, if the process that schedules the task is the home of the
 * current datum and no other process holds references of it; otherwise the new datum begins as a copy.
 *
 * @param[in]  current  a datum, published or not
 * @param[out] next     the id of the new promise
 * @retval DVM_SUCCESS              next is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_ID               the current datum is unknown or has been freed
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_PEER_LOST        the home of the current datum is lost
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_next(const dvm_data_id_t current,
                            dvm_data_id_t *next);

/**
 * @brief Name a datum for people: error messages, dvm_explain and the hang report say the name beside the id.
 *
 * By the process that made the datum. A promise by which that process carries the datum on (dvm_data_next, DVM_INOUT) is
 * called the same unless it is named itself. Data without a name cost nothing.
 *
 * @param[in] id    the datum
 * @param[in] name  a short text, copied, or NULL to take the name away
 * @retval DVM_SUCCESS              the datum has the name
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            another process has made the datum
 * @retval DVM_ERR_MEMORY           no memory for the name
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_name(const dvm_data_id_t id,
                            const char *name);

/* ----- Processings: registered functions -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 */

/**
 * @brief Register a function, so that tasks can run it.
 *
 * The function is called with exactly number_of_args arguments, each a dvm_data_id_t (a pointer to two numbers that
 * is good until the task ends), and returns an int: 0 for success; anything else fails the task and poisons its
 * outputs. It is called by the worker threads, several at a time. All arguments are inputs, unless
 * dvm_processing_access says otherwise.
 *
 * Tasks of the processing may run in any process of the job, whichever process registers it. A process finds the function
 * by its place in the program or in the shared object that it lies in, if it has loaded the same build of it (the
 * build-id, which linkers write with -Wl,--build-id), else by its name, if it was registered by that. No code is sent.
 * If it finds none, the tasks that come to it fail, and the wait says what to do. The id may be used by any process; one
 * that does not know it asks the process that registered it, and that first call waits for the answer.
 *
 * @param[in]  callback        the function; in C++ and C23 cast it with DVM_CALLBACK
 * @param[in]  number_of_args  0 to DVM_MAX_PLAIN_ARGUMENTS
 * @param[in]  description     a short description for messages, copied; may be NULL
 * @param[out] id              the id of the new processing
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is out of range
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * Source: report, section 4.2.4, processing.
 */
dvm_retcode_t dvm_processing_register(int (*callback)(),
                                      int number_of_args,
                                      DVM_CXX_CONST char *description,
                                      dvm_processing_id_t id);

/**
 * @brief Register a function by its name, which is looked up in the whole running program.
 *
 * As dvm_processing_register otherwise; the name serves as description.
 *
 * @param[in]  function_name        the name of the symbol; a function of the program itself is only found when the
 *                                  program is linked with -rdynamic (CMake: ENABLE_EXPORTS)
 * @param[in]  number_of_data_args  0 to DVM_MAX_PLAIN_ARGUMENTS
 * @param[out] id                   the id of the new processing
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, or number_of_data_args is out of range
 * @retval DVM_ERR_SYMBOL           the running program has no such dynamic symbol, or it is data and no function
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * Source: report, section 4.2.4, processing.
 */
dvm_retcode_t dvm_processing_register_by_name(DVM_CXX_CONST char *function_name,
                                              int number_of_data_args,
                                              dvm_processing_id_t id);

/**
 * @brief Register a function that takes a context, an array of ids and their number: for any number of arguments.
 *
 * As dvm_processing_register otherwise.
 *
 * @param[in]  callback        called as callback(context, ids, count); ids has count entries and is good until the
 *                             task ends
 * @param[in]  context         handed to the callback as it is, may be NULL; libdvm keeps the pointer until the
 *                             processing is unregistered and its last task has ended; an address of this process:
 *                             tasks that run in another one get the number and may not use it as an address
 * @param[in]  number_of_args  0 or more
 * @param[in]  description     a short description for messages, copied; may be NULL
 * @param[out] id              the id of the new processing
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is negative
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_processing_register_v(int (*callback)(void *context, dvm_data_id_t *ids, int count),
                                        void *context,
                                        int number_of_args,
                                        const char *description,
                                        dvm_processing_id_t id);

/**
 * @brief Say which arguments of a processing its tasks read and which they produce.
 *
 * Before the first task of the processing, in the process that has registered it. Without this call all arguments are
 * inputs.
 *
 * @param[in] id     the processing
 * @param[in] modes  one of DVM_IN, DVM_OUT, DVM_READ and DVM_INOUT for each of its arguments
 * @retval DVM_SUCCESS              the modes are set
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, or a mode is unknown
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_STATE            a task of this processing was scheduled already, or is being scheduled
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_processing_access(const dvm_processing_id_t id,
                                    const int *modes);

/**
 * @brief Forget a processing. Tasks that were scheduled with it still run; no new ones can be.
 *
 * In the process that has registered it.
 *
 * @param[in] id  the address of the processing's id; the id itself is not changed
 * @retval DVM_SUCCESS              the id is stale now
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 *
 * Source: report, section 4.2.4, processing.
 */
dvm_retcode_t dvm_processing_unregister(dvm_processing_id_t *id);

/* ----- Scheduling: a processing and its data, brought together at a processing unit -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 */

/**
 * @brief Run a processing on its data, on the processing unit with this rank.
 *
 * The task takes one reference of each of its inputs now and drops it when it has ended. It runs after all of its
 * inputs are published; each processing unit takes its ready tasks in the order in which they became ready. The
 * runtime never moves it. Scheduling never blocks. A task that reads a poisoned datum is accepted and ends as
 * cancelled.
 *
 * The rank may be one of another process: the task is sent there at once, and what it reads is brought there before it
 * begins. Of data of other homes the task takes references of the calling process, or home is asked. If there is none, or
 * the datum does not exist, or a process that runs the task has no code for it (DVM_ERR_SYMBOL), or it is lost, the task
 * that was accepted fails: its outputs are poisoned and the next dvm_wait tells it. A task that other processes take part
 * in has at most 21,000 arguments.
 *
 * @param[in] rank      a rank, all DVM_MAX_RANK_DEPTH components
 * @param[in] function  the processing
 * @param[in] ...       exactly as many dvm_data_id_t as the processing has arguments
 * @retval DVM_SUCCESS              the task is scheduled
 * @retval DVM_ERR_ARGUMENT         rank, function or an id is NULL
 * @retval DVM_ERR_RANK             no processing unit has this rank
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_ID               a datum is unknown or has been freed
 * @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
 * @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
 *                                  datum (dvm_data_next) that is no input
 * @retval DVM_ERR_POISONED         an output was poisoned
 * @retval DVM_ERR_MEMORY           no memory for the task
 * @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
 *
 * Source: report, section 4.2.4, scheduling.
 */
dvm_retcode_t dvm_sched_onto(dvm_rank_t rank,
                             dvm_processing_id_t function,
                             ...);

/**
 * @brief Run a processing on its data, on the processing unit with this rank: dvm_sched_onto with an array of ids.
 *
 * @param[in] rank      a rank, all DVM_MAX_RANK_DEPTH components
 * @param[in] function  the processing
 * @param[in,out] ids   the ids of its data, count entries, of which those that it updates (DVM_INOUT) are written; may be
 *                      NULL when count is 0
 * @param[in] count     the number of arguments of the processing
 * @retval DVM_SUCCESS              the task is scheduled
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
 * @retval DVM_ERR_RANK             no processing unit has this rank
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_ID               a datum is unknown or has been freed
 * @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
 * @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
 *                                  datum (dvm_data_next) that is no input
 * @retval DVM_ERR_POISONED         an output was poisoned
 * @retval DVM_ERR_MEMORY           no memory for the task
 * @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_sched_onto_v(const dvm_rank_t rank,
                               const dvm_processing_id_t function,
                               dvm_data_id_t *ids,
                               int count);

/**
 * @brief Run a processing near its data.
 *
 * The processing unit is the one that holds most of the input bytes; when they are spread, the one closest to their
 * weighted barycentre. It is chosen when the inputs are published. Idle processing units may steal the task, nearest
 * first. Otherwise as dvm_sched_onto_v.
 *
 * Over processes the task goes to the process that has most of the input bytes, and no other process steals it from
 * there; if none has more than another, it stays.
 *
 * Of the near tasks of a processing unit the newest runs first, but none waits for ever: when n near tasks are ready on
 * it, each of them, stolen or not, begins before 256 * (n + 2) further tasks have begun there, however many are scheduled
 * meanwhile. Likewise the first of the placed tasks begins before 256 further tasks have begun, and each parameterised
 * graph is looked after once per 64. (DVM_SEED, which draws orders, is apart.)
 *
 * @param[in] function  the processing
 * @param[in,out] ids   the ids of its data, count entries, of which those that it updates (DVM_INOUT) are written; may be
 *                      NULL when count is 0
 * @param[in] count     the number of arguments of the processing
 * @retval DVM_SUCCESS              the task is scheduled
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_ID               a datum is unknown or has been freed
 * @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
 * @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
 *                                  datum (dvm_data_next) that is no input
 * @retval DVM_ERR_POISONED         an output was poisoned
 * @retval DVM_ERR_MEMORY           no memory for the task
 * @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
 *
 * Source: added to the report's interface, after its section 5.5.
 */
dvm_retcode_t dvm_sched_near(const dvm_processing_id_t function,
                             dvm_data_id_t *ids,
                             int count);

/**
 * @brief The number of tasks of a processing unit that were scheduled and have not ended.
 *
 * Tasks that are to run near data which are not all published belong to no processing unit yet. Of a processing unit of
 * another process the number is that of the tasks that this process has sent to the whole of that process.
 *
 * @param[in]  rank  a rank, all DVM_MAX_RANK_DEPTH components
 * @param[out] load  the number of tasks
 * @retval DVM_SUCCESS              load is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_RANK             no processing unit has this rank
 *
 * Source: report, section 4.2.4, scheduling.
 */
dvm_retcode_t dvm_sched_load(dvm_rank_t rank,
                             uint64_t *load);

/* ----- Tasks that block, and tasks that use several cores -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any task, on the thread that libdvm called it on.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 */

/**
 * @brief Say that this task is about to wait for something outside libdvm: a message, a file, a lock.
 *
 * Until dvm_blocking_end another thread runs tasks on this processing unit in its place: a spare one, or a new one.
 * There is no limit to the number of tasks that block at once but the system's for threads. All other calls stay
 * allowed, and do what they do in a task. A section that the task leaves open ends with the task. In a tile that runs
 * on the program's own thread the call succeeds and does nothing.
 *
 * @retval DVM_SUCCESS              the section has begun
 * @retval DVM_ERR_STATE            not called in a task or tile, or in a graph's predecessors function, or the task is in
 *                                  a section already
 * @retval DVM_ERR_MEMORY           no thread could be started; the task may block all the same, and holds its processing
 *                                  unit meanwhile
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_blocking_begin(void);

/**
 * @brief Say that this task has waited, and goes on computing.
 *
 * The call returns when the task that runs in its place has ended: a processing unit runs one task at a time. A task of
 * several cores gets them again, too. Once per 64 sections that end on a processing unit a ready task goes first: tasks that
 * begin sections again and again keep no other one waiting.
 *
 * @retval DVM_SUCCESS              the section has ended
 * @retval DVM_ERR_STATE            not called in a task or tile, or the task is in no section
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_blocking_end(void);

/**
 * @brief Say how many processing units each task of a processing needs for itself: the one that it runs on, and its
 * nearest neighbours.
 *
 * Before the first task of the processing. The neighbours have ended their tasks before the callback starts, and start
 * no others until it has ended; when there are fewer, all of them stand still. Meanwhile the callback's thread may run
 * on the processing units of all workers, and so may threads that it starts, of OpenMP for instance; how many it starts
 * is for the callback to say. Such tasks are served in the order in which they get to run. In a blocking section the
 * task has no processing unit at all.
 *
 * @param[in] id     the processing
 * @param[in] cores  how many, from 1
 * @retval DVM_SUCCESS              the number is set
 * @retval DVM_ERR_ARGUMENT         id is NULL, or cores is below 1
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_STATE            a task of this processing was scheduled already
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_processing_cores(const dvm_processing_id_t id,
                                   int cores);

/* ----- Parameterised task graphs: the interface of generated code -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any time, several at once.
 */

/**
 * The greatest number of coordinates of a tile.
 */
#define DVM_GRAPH_MAX_DIMENSION 16

/**
 * What `successors` of a graph calls once for each successor of a tile.
 *
 * @param[in] visitor  as given to `successors`
 * @param[in] tile     coordinates of the successor, as many as the graph's dimension
 */
typedef void (*dvm_graph_visit_t)(void *visitor, const int64_t *tile);

/**
 * A task graph that is described by functions of integer coordinates and never held as a whole (the report's
 * sections 4.2.4 and 5.6 name the cost of unfolding one): a tile becomes a task when its first input arrives.
 *
 * The tiles are the integer points of the box `lower ..= upper`. Edges are given in one of two ways:
 *
 * * by `carried`, with `predecessors` and `successors` both NULL: tile T waits for T - e_k for each coordinate k with
 *   `carried[k]` set for which that is in the box. In a permutable band these edges order all dependences.
 * * by `predecessors` and `successors`, both given and in agreement; `carried` is not read then.
 *
 * With `carried`, `bounds` may leave out points of the box: the graph then spends no time on them. A dependence must be
 * able to go from tile to tile in unit steps along the carried coordinates, so points without work may have to stay:
 * for them `exists` is 0, nothing runs, and the tiles after them wait as usual.
 *
 * All functions may be called from any worker, several at a time. Arrays are updated in place: an edge only orders, and
 * what a tile has written is visible to the tiles after it.
 */
typedef struct {
    /**
     * `sizeof(dvm_graph_t)`: later versions append fields.
     */
    size_t size;
    /**
     * Name for traces and errors; may be NULL.
     */
    const char *name;
    /**
     * Number of coordinates, 0 to `DVM_GRAPH_MAX_DIMENSION`; a graph of dimension 0 has one tile.
     */
    int dimension;
    /**
     * Least coordinates, `dimension` values; may be NULL when `dimension` is 0.
     */
    const int64_t *lower;
    /**
     * Greatest coordinates (they belong to the box); one below its least: no tiles.
     */
    const int64_t *upper;
    /**
     * `dimension` flags; NULL: no edges, all tiles are independent.
     */
    const int *carried;
    /**
     * Runs a tile; 0 is success, everything else stops the graph.
     */
    int (*run)(void *context, const int64_t *tile);
    /**
     * Number of predecessors of a tile; negative: this point of the box is not a tile. NULL: by `carried`. It only
     * counts: it may not begin a blocking section.
     */
    int64_t (*predecessors)(void *context, const int64_t *tile);
    /**
     * Calls `visit(visitor, T)` once for each successor T of a tile. NULL: by `carried`.
     */
    void (*successors)(void *context, const int64_t *tile, dvm_graph_visit_t visit, void *visitor);
    /**
     * First argument of the functions.
     */
    void *context;
    /**
     * Narrows `ends`, the least and the greatest value of a coordinate, for the values of the coordinates before it in
     * `tile`; it is called with the ends of the box, for coordinates from 1 on. Equal arguments, equal answers. NULL:
     * the graph has all points of the box. Not together with `predecessors`.
     */
    void (*bounds)(void *context, int64_t coordinate, const int64_t *tile, int64_t *ends);
    /**
     * Zero: nothing is to run at this point. NULL: all points run. Not together with `predecessors`.
     */
    int (*exists)(void *context, const int64_t *tile);
} dvm_graph_t;

/**
 * @brief Start libdvm when it is not running yet: for generated code in programs that do not call dvm_init.
 *
 * Such a process is alone: it joins no job, and where dvmrun has started several, the call is refused.
 *
 * What it has started ends when the program exits. A later dvm_init takes over: it succeeds, and the program then
 * calls dvm_finalize as usual. When libdvm runs already, nothing happens.
 *
 * @retval DVM_SUCCESS          libdvm is running
 * @retval DVM_ERR_ARGUMENT     an environment variable of libdvm has a value that is not understood
 * @retval DVM_ERR_MEMORY       the threads could not be started
 * @retval DVM_ERR_UNSUPPORTED  the machine's topology cannot be read, or this process was forked while libdvm ran
 * @retval DVM_ERR_NOT_INITIALIZED  a thread is in dvm_finalize
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_graph_start(void);

/**
 * @brief Run a graph; returns when all of its tiles have run.
 *
 * All tiles run in the calling process, also in a job of several: each process runs graphs of its own.
 *
 * Several threads may run graphs at the same time, also beside tasks: the workers share themselves out. The calling
 * thread sleeps meanwhile; only a graph of a single tile runs on the calling thread itself.
 *
 * @param[in] graph  the graph; it and all that it points to must stay as they are until the call returns
 * @retval DVM_SUCCESS              every tile has run
 * @retval DVM_ERR_ARGUMENT         graph or its run is NULL, a bound array is missing, the dimension is out of range,
 *                                  size is not that of this version, one of predecessors and successors is missing,
 *                                  or the box has more than 2^63 - 2 points: nothing has run. Or a successor lies
 *                                  outside the box
 * @retval DVM_ERR_TASK             a tile failed, or one of the graph's functions threw: the tiles after it have not run,
 *                                  others may have
 * @retval DVM_ERR_STATE            tiles are left over whose predecessors never ran, or predecessors and successors do
 *                                  not agree
 * @retval DVM_ERR_IN_TASK          called inside a task or a tile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running, or dvm_finalize has begun
 *
 * Thread safety: any thread that is no worker, several at once. Source: added, for the report's section 5.6.
 */
dvm_retcode_t dvm_graph_run(const dvm_graph_t *graph);

/**
 * @brief Choose tile sizes for a permutable band, one per coordinate.
 *
 * A size that is positive on entry stays (the pragma's tile(...)). The others come from the environment variable
 * DVM_TILE where it names that coordinate, else from a model of the machine's caches: the tile grows, always where its
 * footprint grows least for its work, as long as it fits its worker's share of the cache and leaves enough tiles for all
 * workers.
 *
 * @param[in]     name       the region's name, for messages; may be NULL
 * @param[in]     dimension  the number of coordinates, 0 to DVM_GRAPH_MAX_DIMENSION
 * @param[in]     extent     the number of values of each coordinate of the band, dimension values; not positive: none
 * @param[in]     carried    dimension flags as in dvm_graph_t, or NULL
 * @param[in]     footprint  bytes that a tile of the given sizes touches; may be NULL: eight bytes per point
 * @param[in]     context    the first argument of footprint
 * @param[in,out] sizes      dimension sizes, 0 where one is wanted; all are positive on success
 * @retval DVM_SUCCESS              sizes is written
 * @retval DVM_ERR_ARGUMENT         dimension is out of range, extent or sizes is NULL with a dimension above 0, or a
 *                                  size is negative
 * @retval DVM_ERR_TASK             footprint threw, or left by pthread_exit
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_graph_sizes(const char *name,
                              int dimension,
                              const int64_t *extent,
                              const int *carried,
                              int64_t (*footprint)(void *context, const int64_t *sizes),
                              void *context,
                              int64_t *sizes);

/* ----- Regions of generated code: how an entry runs, by what earlier entries have taken -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any time, several at once.
 */

/**
 * The number of powers of two of the work that a region tells apart.
 */
#define DVM_REGION_CLASSES 64

/**
 * What generated code keeps of a region, or of one of its phases, in static memory: the names are constant, the rest is
 * zero at first and belongs to libdvm.
 */
typedef struct {
    /**
     * `sizeof(dvm_region_t)`: later versions append fields.
     */
    size_t size;
    /**
     * Name for messages.
     */
    const char *name;
    /**
     * The line in the source.
     */
    int64_t line;
    /**
     * The phase's number; -1: the record is the region's.
     */
    int64_t phase;
    /**
     * Libdvm's number for the record; 0: none yet.
     */
    uint64_t number;
    /**
     * By the power of two of the work: so many entries run the original loops without asking. Who enters counts down.
     */
    uint32_t unasked[DVM_REGION_CLASSES];
} dvm_region_t;

/**
 * An entry into a region or a phase.
 */
typedef struct {
    /**
     * 0: the original loops, or one tile. 1: the phases, or several tiles.
     */
    int64_t way;
    /**
     * The power of two of the work.
     */
    int64_t work;
    /**
     * When it began, if `dvm_region_leave` is to be called; else 0.
     */
    uint64_t begun;
} dvm_region_entry_t;

/**
 * @brief Begin an entry into a region, or into one of its phases: by the fastest way that is known.
 *
 * The first entries for each power of two of the work measure both ways; then the faster one stays, and both are
 * measured again once in a while. What a region computes does not depend on the way. With DVM_TUNE=0 nothing is
 * measured, and the way is always 1.
 *
 * For a region whose original loops are the fastest, `region->unasked` tells how many entries need not ask.
 *
 * @param[in,out] region  the record of the region or phase
 * @param[in]     work    about the number of iterations
 * @param[out]    entry   how to run it; if entry->begun is not 0, dvm_region_leave is to be called after it
 * @retval DVM_SUCCESS              entry is written
 * @retval DVM_ERR_ARGUMENT         region or entry is NULL, or the region's size is not that of this version
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_region_enter(dvm_region_t *region,
                               int64_t work,
                               dvm_region_entry_t *entry);

/**
 * @brief Tell whether the caller should run a region's original loops because libdvm does not run yet, and the regions so
 * far had less work than its start costs.
 *
 * It does not wait if libdvm runs, nor if the environment has a variable of libdvm other than DVM_WORKERS, DVM_VERBOSE
 * and those of the compilers (DVM_CC, DVM_FC, DVM_FLANG, DVM_PREFIX).
 *
 * @param[in]  work   the number of iterations of the region, or -1
 * @param[out] waits  1: run the original loops. 0: start libdvm (dvm_graph_start) and go on
 * @retval DVM_SUCCESS       waits is written
 * @retval DVM_ERR_ARGUMENT  waits is NULL
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_region_waits(int64_t work,
                               int *waits);

/**
 * @brief End an entry whose time is wanted.
 *
 * @param[in,out] region  the record that the entry was begun with
 * @param[in]     entry   as dvm_region_enter has written it
 * @retval DVM_SUCCESS              the time is noted
 * @retval DVM_ERR_ARGUMENT         region or entry is NULL, the region's size is not that of this version, or the entry
 *                                  is none that dvm_region_enter has written
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_region_leave(dvm_region_t *region,
                               const dvm_region_entry_t *entry);

/**
 * @brief Choose the tile sizes of a phase, as dvm_graph_sizes does, and by the measured time of its iterations: few
 * iterations that take long become several tiles. Equal questions in a row are answered at once.
 *
 * @param[in,out] region     the record of the phase
 * @param[in]     dimension  as for dvm_graph_sizes, as are all that follow
 * @param[in]     extent     the number of values of each coordinate
 * @param[in]     carried    flags of the coordinates
 * @param[in]     footprint  bytes that a tile touches
 * @param[in]     context    the first argument of footprint
 * @param[in,out] sizes      the sizes, 0 where one is wanted, -m where a multiple of m is wanted: as many values as a block
 *                           that stays in registers has. A tile of such blocks may touch more bytes. DVM_TILE may give
 *                           any size, and a size is never above the extent
 * @retval DVM_SUCCESS              sizes is written
 * @retval DVM_ERR_ARGUMENT         as for dvm_graph_sizes, but for negative sizes down to -65536, or the region's size is not
 *                                  that of this version
 * @retval DVM_ERR_TASK             footprint threw, or left by pthread_exit
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_region_sizes(dvm_region_t *region,
                               int dimension,
                               const int64_t *extent,
                               const int *carried,
                               int64_t (*footprint)(void *context, const int64_t *sizes),
                               void *context,
                               int64_t *sizes);

/**
 * @brief Run a graph as dvm_graph_run does, for a region: if its tiles wait for nothing, or are a box of a few thousand,
 * the calling thread runs some of them, with the workers' help.
 *
 * @param[in] graph  the graph; it and all that it points to must stay as they are until the call returns
 * @retval DVM_SUCCESS              every tile has run
 * @retval DVM_ERR_ARGUMENT         as for dvm_graph_run
 * @retval DVM_ERR_TASK             a tile failed, or one of the graph's functions threw: other tiles may not have run
 * @retval DVM_ERR_STATE            as for dvm_graph_run
 * @retval DVM_ERR_IN_TASK          called inside a task or a tile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running, or dvm_finalize has begun
 *
 * Thread safety: any thread that is no worker, several at once. Source: added to the report's interface.
 */
dvm_retcode_t dvm_region_run(const dvm_graph_t *graph);

/* ----- Regions of generated code that run on all processes of a job -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread that is no worker; the calls of one process run one after the other.
 */

/**
 * The tiles of a phase are no box: blocks of them may be different amounts of work.
 */
#define DVM_ACROSS_NO_BOX 1

/**
 * Values go from a tile to near ones only, along the first coordinate that tiles are dealt out along.
 */
#define DVM_ACROSS_NEAR 2

/**
 * The program's text names the array itself, at file scope, not a pointer to it.
 */
#define DVM_ACROSS_NAMED 1

/**
 * Where process 0 alone runs main, the array may stay on the processes after the region, until main touches it.
 */
#define DVM_ACROSS_KEEP 2

/**
 * The same until the loop of regions ends that this thread runs (dvm_across_loop), unless DVM_KEEP=0.
 */
#define DVM_ACROSS_KEEP_IN_LOOP 4

/**
 * What the function of a flow calls for each row of elements.
 *
 * @param[in] visitor  as given to the function
 * @param[in] array    the array's number in the region
 * @param[in] first    the first element, counted from the array's first one
 * @param[in] count    how many elements follow each other
 */
typedef void (*dvm_across_visit_t)(void *visitor, int array, int64_t first, int64_t count);

/**
 * A flow between the instances of a region: elements that one phase writes and another one reads. A box of instances has
 * the values of the phase's host loops and the coordinates of its band, from `first` up to, and without, `end`.
 */
typedef struct {
    /**
     * The phase that writes; -1: what was there before the region.
     */
    int from;
    /**
     * The phase that reads; -1: what comes after the region.
     */
    int to;
    /**
     * Visits the rows that instances of the first box write and instances of the second box read (after the region: all
     * that the first box leaves behind; before it: all that the second box finds there).
     */
    void (*rows)(void *context,
                 const int64_t *from_first,
                 const int64_t *from_end,
                 const int64_t *to_first,
                 const int64_t *to_end,
                 dvm_across_visit_t visit,
                 void *visitor);
} dvm_across_flow_t;

/**
 * How the tiles of a phase are best dealt out.
 */
typedef struct {
    /**
     * The number of coordinates in `places`.
     */
    int places_count;
    /**
     * Coordinates of the band, the best to deal along first.
     */
    const int *places;
    /**
     * DVM_ACROSS_NO_BOX, DVM_ACROSS_NEAR, or both.
     */
    int flags;
} dvm_across_phase_t;

/**
 * A number in a region's context.
 */
typedef struct {
    /**
     * Where it begins.
     */
    size_t at;
    /**
     * Its bytes.
     */
    size_t bytes;
} dvm_across_member_t;

/**
 * A region that can run on several processes: constant, in static memory.
 */
typedef struct {
    /**
     * `sizeof(dvm_across_t)`: later versions append fields.
     */
    size_t size;
    /**
     * Name for messages.
     */
    const char *name;
    /**
     * The numbers of flows, phases and arrays.
     */
    int flows_count;
    /**
     * See `flows_count`.
     */
    int phases_count;
    /**
     * See `flows_count`.
     */
    int arrays_count;
    /**
     * The flows.
     */
    const dvm_across_flow_t *flows;
    /**
     * The phases.
     */
    const dvm_across_phase_t *phases;
    /**
     * Runs the loops around the region's graphs, and gives each of them to dvm_across_sizes and dvm_across_graph, with
     * the same `call`. It is called twice, and runs equal graphs both times; the first time only to learn them.
     */
    int (*body)(void *context, void *call);
    /**
     * The bytes of the context; with what follows only for regions that processes can serve, else 0.
     */
    size_t context;
    /**
     * The number of entries in `members`.
     */
    int members_count;
    /**
     * The numbers in the context: all that it needs but pointers to arrays.
     */
    const dvm_across_member_t *members;
    /**
     * In a process that serves: has the context's pointers, and those at file scope, lead to these bases, one for each
     * array; instead, writes into the list where an array is that is named.
     */
    void (*places)(void *context, void **bases);
    /**
     * How many steps a tile runs ahead of the processes that it sends to; 0: DVM_REGION_STEPS.
     */
    int buffers;
    /**
     * How many steps a message leaves before its reader's, less than `buffers`; -1: at once.
     */
    int ahead;
    /**
     * Of a region without the clause `across`, which runs on all processes only where that pays: libdvm writes 1 there when
     * processes serve, and 0 if they cannot serve it. NULL: the region has the clause.
     */
    int *offered;
    /**
     * Of such a region: about the number of iterations.
     */
    int64_t (*work)(const void *context);
    /**
     * Of such a region: the record of what is learnt of it.
     */
    dvm_region_t *record;
} dvm_across_t;

/**
 * An array of a region.
 */
typedef struct {
    /**
     * Its first element.
     */
    void *base;
    /**
     * The bytes of an element.
     */
    size_t element;
    /**
     * The first byte that the region touches, counted from the base.
     */
    int64_t begin;
    /**
     * One beyond the last one.
     */
    int64_t end;
    /**
     * Any of DVM_ACROSS_NAMED, DVM_ACROSS_KEEP and DVM_ACROSS_KEEP_IN_LOOP, or 0.
     */
    int named;
} dvm_across_array_t;

/**
 * @brief Tell whether regions with the clause `across` run on several processes: in a job of several, unless DVM_ACROSS=0.
 *
 * @param[out] across  1 if they do, else 0. 2: they do, this process alone runs main, and DVM_RECOVER=1 has it outlive the
 *                     others: the caller keeps what the region overwrites, and runs it again if dvm_across_run fails
 * @retval DVM_SUCCESS       across is written
 * @retval DVM_ERR_ARGUMENT  across is NULL
 *
 * Thread safety: any thread, any time; before dvm_init the answer is 0. Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_begins(int *across);

/**
 * @brief Run a region on all processes of the job. All processes call it together, with equal arrays and parameters.
 *
 * Each process runs the tiles that are dealt out to it. What they write and tiles of others read is sent to these, and
 * at the end everything that the region leaves behind is in the arrays of all processes.
 *
 * @param[in]  region   the region
 * @param[in]  context  the first argument of its functions
 * @param[in]  arrays   its arrays, as many as the region says
 * @param[in]  digest   a digest of all parameters: if the processes give different ones, nothing runs
 * @param[in]  willing  zero: this process cannot run the region as tiles; then nothing runs, in no process
 * @param[out] ran      1: the region has run. 0: nothing has run, in no process; a region without the clause (`offered`) runs
 *                      only where that pays
 * @retval DVM_SUCCESS              ran is written
 * @retval DVM_ERR_ARGUMENT         region, its functions, arrays or ran is NULL, or its size is not that of this version
 * @retval DVM_ERR_TASK             a tile failed, here or elsewhere: the arrays are half done
 * @retval DVM_ERR_PEER_LOST        a process is lost: the arrays are half done
 * @retval DVM_ERR_STATE            the process is in no job of several, or the processes do not run equal graphs
 * @retval DVM_ERR_IN_TASK          called inside a task or a tile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_run(const dvm_across_t *region,
                             void *context,
                             const dvm_across_array_t *arrays,
                             uint64_t digest,
                             int willing,
                             int *ran);

/**
 * @brief Tell that a loop of regions begins or has ended: for generated code.
 *
 * Meanwhile this thread runs regions, and nothing else that uses their arrays. Where process 0 alone runs main, arrays with
 * DVM_ACROSS_KEEP_IN_LOOP stay on the processes from one region to the next. When the loop has ended, process 0 has them.
 *
 * @param[in] begins  1: it begins. 0: it has ended, and its arrays come back
 * @retval DVM_SUCCESS        all is where it belongs
 * @retval DVM_ERR_PEER_LOST  a process is lost that had some of it: the arrays are half done
 * @retval DVM_ERR_STATE      the system refuses to open or to fill their memory: the arrays are half done
 *
 * Thread safety: any thread, any time. Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_loop(int begins);

/**
 * @brief Make a region known before main begins: for constructors of generated code.
 *
 * In a program of one process whose regions run on all (dvm_across_serve), the processes that serve know the regions
 * by this. All processes call it for the same regions in the same order.
 *
 * @param[in] region  the region: its `context`, `members` and `places` are there; NULL: one that processes cannot serve, so
 *                    that process 0 runs it
 * @retval DVM_SUCCESS       the region is known
 * @retval DVM_ERR_ARGUMENT  one of the region's functions is NULL, or its size is not that of this version
 *
 * Thread safety: any thread, any time, before main. Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_known(const dvm_across_t *region);

/**
 * @brief Serve the regions of a program of one process, before main begins: for constructors of generated code.
 *
 * Where several processes were started, the program uses no MPI and has regions with the clause `across`, or regions that
 * were compiled with `dvmcc --across` and neither it nor its libraries mention MPI or dvm_init, process 0 alone runs main,
 * and the call returns there. The others do not return: they take part in its regions and end with it. If
 * process 0 calls dvm_init in main, the program is one for all processes: they return, too, and run main.
 * Where one process was started, with DVM_ACROSS=0, or when called from a shared library, the call does nothing.
 *
 * @param[in] caller  a function of the program
 * @retval DVM_SUCCESS  the process runs main
 *
 * Thread safety: any thread, any time, before main. Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_serve(void (*caller)(void));

/**
 * @brief Agree on the sizes of the next graph's tiles: those of process 0. Called by the body of a region.
 *
 * @param[in]     call       as the body was given it
 * @param[in]     count      the number of coordinates
 * @param[in,out] sizes      the sizes that this process would take; then those that all take
 * @retval DVM_SUCCESS              sizes is written
 * @retval DVM_ERR_ARGUMENT         call or sizes is NULL, or count is out of range
 * @retval DVM_ERR_STATE            the processes do not run equal graphs
 * @retval DVM_ERR_IN_TASK          called inside a task or a tile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_sizes(void *call, int count, int64_t *sizes);

/**
 * @brief Give a graph to a call of a region: learns it the first time that the body runs, then runs this process's tiles of
 * it, until all processes have run theirs. Called by the body of a region.
 *
 * @param[in] call         as the body was given it
 * @param[in] graph        the graph, by `carried`: its lower ends are 0
 * @param[in] phase        the number of its phase
 * @param[in] hosts_count  the number of the phase's host loops
 * @param[in] hosts        their values
 * @param[in] first        coordinates of the band where tile 0 begins, as many as the graph's dimension
 * @param[in] step         sizes of a tile
 * @retval DVM_SUCCESS              the graph is learnt, or has run
 * @retval DVM_ERR_ARGUMENT         as for dvm_graph_run; or a list is missing, or the graph tells its own edges
 * @retval DVM_ERR_TASK             a tile failed, here or elsewhere
 * @retval DVM_ERR_PEER_LOST        a process is lost
 * @retval DVM_ERR_STATE            the processes do not run equal graphs
 * @retval DVM_ERR_IN_TASK          called inside a task or a tile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_across_graph(void *call,
                               const dvm_graph_t *graph,
                               int phase,
                               int hosts_count,
                               const int64_t *hosts,
                               const int64_t *first,
                               const int64_t *step);

/* ----- Explanations: what waits for what, for a program that does not go on -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task; not in a signal's handler.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 */

/**
 * @brief Print on stderr what waits for what.
 *
 * Each task that waits is named with its processing's description, its arguments and its place, with the datum that it
 * misses and with who was to publish that: a task, the program by hand, or nobody. Cycles are found. Threads that sleep in
 * dvm_data_get are counted with the datum that they wait for. For each graph that runs, the tiles that run and that wait
 * are listed, with the predecessors that they miss. Long lists are cut and counted. Workers go on meanwhile. At the end
 * stands how the regions of generated code run, with the measured times (DVM_TUNE).
 *
 * The environment variables DVM_WATCHDOG and DVM_EXPLAIN_SIGNAL have libdvm do this by itself.
 *
 * @retval DVM_SUCCESS              it is printed
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_explain(void);

/**
 * @brief The text that dvm_explain prints, in the caller's memory.
 *
 * The text ends with a NUL. A text that does not fit is cut, and needed says so: it is then greater than size. What
 * waits may change between two calls, and the text's size with it.
 *
 * @param[out] buffer  where the text goes, size bytes; may be NULL when size is 0
 * @param[in]  size    its size in bytes; 0 asks for the size that is needed
 * @param[out] needed  the bytes of the whole text, with its NUL
 * @retval DVM_SUCCESS              buffer and needed are written
 * @retval DVM_ERR_ARGUMENT         needed is NULL, or buffer is NULL and size is not 0
 *
 * Source: added to the report's interface.
 */
dvm_retcode_t dvm_explain_text(void *buffer,
                               size_t size,
                               size_t *needed);

/* ----- Distributions: where the elements of an array are -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task, any time.
 */

/**
 * The greatest number of dimensions of an array that is distributed.
 */
#define DVM_DISTRIBUTION_MAX_DIMENSION 16

/**
 * Any memory of a distribution, for dvm_distribution_set_strides.
 */
#define DVM_DISTRIBUTION_EVERY_MEMORY -1

/**
 * The processes of a grid are counted row by row: BLACS's order 'Row'.
 */
#define DVM_GRID_BY_ROWS 0

/**
 * The processes of a grid are counted column by column: BLACS's order 'Col'.
 */
#define DVM_GRID_BY_COLUMNS 1

/**
 * A distribution, by handle. Distributions and plans may be made, asked and freed at any time, also while libdvm is not
 * running.
 */
typedef struct {
    /**
     * A number that is never given twice; 0 is never given.
     */
    uint64_t number;
} dvm_distribution_t;

/**
 * @brief Make a distribution of a text: the text form, or the JSON form when it begins with a brace.
 *
 * The text form has a line for each dimension, "t = offset", followed by a line for each of its variables,
 * "+ coef*name arch|data level lower .. upper"; a last line "layout name, name" lists the data variables, slowest
 * first. Bounds may use other variables and parameters: "max(0, -8*p) .. min(7, (99 - 8*p)/2)". A semicolon ends a
 * line, too.
 *
 * @param[in]  text          the distribution
 * @param[in]  parameters    values of the names that the text uses and does not declare, as "N=100, P=4"; may be
 *                           NULL
 * @param[out] distribution  the handle of the new distribution
 * @retval DVM_SUCCESS       distribution is written
 * @retval DVM_ERR_ARGUMENT  text or distribution is NULL, the text is not understood, uses unknown names or bounds
 *                           that refer to each other in a circle, or its numbers exceed 2^62: dvm_last_error names
 *                           the place
 *
 * Source: added; the second paper's definition of a distribution.
 */
dvm_retcode_t dvm_distribution_parse(const char *text,
                                     const char *parameters,
                                     dvm_distribution_t *distribution);

/**
 * @brief Make a distribution of arrays: one entry per variable, with constant bounds.
 *
 * Variables are listed in the order of memories and places: of the architectural ones the last runs fastest through
 * the memories' numbers, of the data variables of one dimension the last runs fastest through its local indices.
 *
 * @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
 * @param[in]  offset        the origin of each dimension; NULL: all 0
 * @param[in]  elements      the number of elements of each dimension: what lies outside 0 .. elements-1 does not
 *                           exist; NULL: what the variables reach
 * @param[in]  variables     the number of variables, 0 or more
 * @param[in]  dimension     the dimension of each variable, from 0
 * @param[in]  architectural for each variable 1 when it names memories, 0 when it names places
 * @param[in]  coef          the coefficient of each variable, any sign; 0 replicates
 * @param[in]  lower         the least value of each variable
 * @param[in]  upper         the greatest value of each variable (it belongs to the range)
 * @param[out] distribution  the handle of the new distribution
 * @retval DVM_SUCCESS       distribution is written
 * @retval DVM_ERR_ARGUMENT  distribution is NULL, an array is NULL with variables above 0, a count or a dimension is
 *                           out of range, elements is negative, or a number exceeds 2^62
 *
 * Source: added; the second paper's definition of a distribution.
 */
dvm_retcode_t dvm_distribution_make(int dimensions,
                                    const int64_t *offset,
                                    const int64_t *elements,
                                    int variables,
                                    const int *dimension,
                                    const int *architectural,
                                    const int64_t *coef,
                                    const int64_t *lower,
                                    const int64_t *upper,
                                    dvm_distribution_t *distribution);

/**
 * @brief Make a block-cyclic distribution: in each dimension blocks are dealt round-robin to a line of processes.
 *
 * Block size 1 is the cyclic distribution. Memories are numbered row-major over the grid of processes.
 *
 * @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
 * @param[in]  elements      the number of elements of each dimension
 * @param[in]  block         the block size in each dimension; 0: one block per process, of equal size
 * @param[in]  processes     the number of processes in each dimension
 * @param[out] distribution  the handle of the new distribution
 * @retval DVM_SUCCESS       distribution is written
 * @retval DVM_ERR_ARGUMENT  a pointer is NULL, a number is negative, processes is 0, or an extent exceeds 2^62
 *
 * Source: added; the second paper, block-cyclic distributions.
 */
dvm_retcode_t dvm_distribution_block_cyclic(int dimensions,
                                            const int64_t *elements,
                                            const int64_t *block,
                                            const int64_t *processes,
                                            dvm_distribution_t *distribution);

/**
 * @brief Make a distribution in blocks that overlap: each memory also holds elements of its neighbours' blocks.
 *
 * Blocks are of equal size (the last ones may be shorter). At the ends of the array there is no halo, but its room
 * stays: local index `before` is the first element of the block in every memory.
 *
 * @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
 * @param[in]  elements      the number of elements of each dimension
 * @param[in]  processes     the number of processes in each dimension
 * @param[in]  before        the width of the halo at the lower side in each dimension
 * @param[in]  after         the width of the halo at the upper side in each dimension
 * @param[out] distribution  the handle of the new distribution
 * @retval DVM_SUCCESS       distribution is written
 * @retval DVM_ERR_ARGUMENT  a pointer is NULL, a number is negative, processes is 0, or an extent exceeds 2^62
 *
 * Source: added; the second paper, distributions with overlap.
 */
dvm_retcode_t dvm_distribution_halo(int dimensions,
                                    const int64_t *elements,
                                    const int64_t *processes,
                                    const int64_t *before,
                                    const int64_t *after,
                                    dvm_distribution_t *distribution);

/**
 * @brief Make the distribution of a ScaLAPACK array descriptor.
 *
 * Memory p * columns + q is that of the process in row p and column q of the grid. Local arrays are column-major
 * with the descriptor's leading dimension, which must do for every process; dvm_distribution_set_strides gives one
 * memory another.
 *
 * @param[in]  descriptor    the nine integers DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_; CTXT_ is not
 *                           looked at
 * @param[in]  rows          the number of rows of the process grid
 * @param[in]  columns       the number of its columns
 * @param[out] distribution  the handle of the new distribution
 * @retval DVM_SUCCESS       distribution is written
 * @retval DVM_ERR_ARGUMENT  a pointer is NULL, DTYPE_ is not 1, a number is out of range, or LLD_ is less than the
 *                           local rows of some process
 *
 * Source: added; ScaLAPACK's array descriptor.
 */
dvm_retcode_t dvm_distribution_scalapack(const int *descriptor,
                                         int rows,
                                         int columns,
                                         dvm_distribution_t *distribution);

/**
 * @brief The same for a descriptor of 64-bit integers.
 *
 * @param[in]  descriptor    as in dvm_distribution_scalapack
 * @param[in]  rows          the number of rows of the process grid
 * @param[in]  columns       the number of its columns
 * @param[out] distribution  the handle of the new distribution
 * @retval DVM_SUCCESS       distribution is written
 * @retval DVM_ERR_ARGUMENT  as in dvm_distribution_scalapack
 *
 * Source: added; ScaLAPACK's array descriptor.
 */
dvm_retcode_t dvm_distribution_scalapack_64(const int64_t *descriptor,
                                            int64_t rows,
                                            int64_t columns,
                                            dvm_distribution_t *distribution);

/**
 * @brief Say in which order the dimensions of the local arrays run, the slowest first; the arrays are dense.
 *
 * The order 0, 1 is row-major (what a new distribution has), 1, 0 column-major. Plans that were made before keep
 * what they had.
 *
 * @param[in] distribution  the distribution
 * @param[in] order         the dimensions from 0, each once
 * @param[in] count         their number
 * @retval DVM_SUCCESS       places are counted so from now on
 * @retval DVM_ERR_ARGUMENT  order is NULL, or does not name each dimension once
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_set_order(dvm_distribution_t distribution,
                                         const int *order,
                                         int count);

/**
 * @brief Say how far apart neighbours are in the local array of a memory, or of all: leading dimensions, paddings.
 *
 * Element (i, j, ...) of a memory lies at i * strides[0] + j * strides[1] + ..., in elements. Plans that were made
 * before keep what they had.
 *
 * @param[in] distribution  the distribution
 * @param[in] memory        the number of the memory, or DVM_DISTRIBUTION_EVERY_MEMORY
 * @param[in] strides       one per dimension, positive
 * @param[in] count         their number
 * @retval DVM_SUCCESS       places are counted so from now on
 * @retval DVM_ERR_ARGUMENT  strides is NULL, there is no such memory, the number of strides is wrong, or two
 *                           elements would have one place
 * @retval DVM_ERR_STATE     one memory is to have strides, but the layout interleaves dimensions
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_set_strides(dvm_distribution_t distribution,
                                           int64_t memory,
                                           const int64_t *strides,
                                           int count);

/**
 * @brief Say which process each memory belongs to, for plans with DVM_REDISTRIBUTION_COLLECTIVE.
 *
 * @param[in] distribution  the distribution
 * @param[in] processes     for each memory the index of its process in the job
 * @param[in] count         their number: that of the memories
 * @retval DVM_SUCCESS       plans that are made from now on see it so
 * @retval DVM_ERR_ARGUMENT  processes is NULL, an index is negative or too large, or count is not the number of memories
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_set_processes(dvm_distribution_t distribution,
                                             const int64_t *processes,
                                             int64_t count);

/**
 * @brief Say that the memories belong to the processes of a grid, one to each, as Cblacs_gridinit numbers them.
 *
 * The grid's coordinates are those of the distribution's memories: for dvm_distribution_scalapack its rows and columns.
 *
 * @param[in] distribution  the distribution
 * @param[in] order         DVM_GRID_BY_ROWS or DVM_GRID_BY_COLUMNS
 * @param[in] processes     for each number in the grid the index of a process in the job, as when the grid is one of a
 *                          communicator (dvm_mpi.h: dvm_distribution_set_grid_mpi); NULL: the numbers themselves
 * @param[in] count         the length of processes, at least the number of memories; unused when it is NULL
 * @retval DVM_SUCCESS       plans that are made from now on see it so
 * @retval DVM_ERR_ARGUMENT  order is unknown, or count is too small
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added; ScaLAPACK's grids.
 */
dvm_retcode_t dvm_distribution_set_grid(dvm_distribution_t distribution,
                                        int order,
                                        const int64_t *processes,
                                        int64_t count);

/**
 * @brief The number of memories of a distribution, those that hold nothing among them.
 *
 * @param[in]  distribution  the distribution
 * @param[out] memories      their number; it may be 0 when no element is anywhere
 * @retval DVM_SUCCESS       memories is written
 * @retval DVM_ERR_ARGUMENT  memories is NULL
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_memories(dvm_distribution_t distribution, int64_t *memories);

/**
 * @brief The elements that a memory must have room for.
 *
 * @param[in]  distribution  the distribution
 * @param[in]  memory        the number of the memory, from 0
 * @param[out] elements      one more than the greatest place, in elements; 0 when the memory holds nothing
 * @retval DVM_SUCCESS       elements is written
 * @retval DVM_ERR_ARGUMENT  elements is NULL, there is no such memory, or it exceeds 2^63 elements
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_size(dvm_distribution_t distribution, int64_t memory, int64_t *elements);

/**
 * @brief How many local indices a memory has in each dimension.
 *
 * @param[in]  distribution  the distribution
 * @param[in]  memory        the number of the memory, from 0
 * @param[out] extents       one per dimension, all 0 when the memory holds nothing
 * @param[in]  count         the length of extents
 * @retval DVM_SUCCESS       extents is written
 * @retval DVM_ERR_ARGUMENT  extents is NULL, or there is no such memory
 * @retval DVM_ERR_SIZE      count is not the number of dimensions
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_extents(dvm_distribution_t distribution,
                                       int64_t memory,
                                       int64_t *extents,
                                       int count);

/**
 * @brief How far apart neighbours are in the local array of a memory, in each dimension.
 *
 * @param[in]  distribution  the distribution
 * @param[in]  memory        the number of the memory, from 0
 * @param[out] strides       one per dimension, in elements
 * @param[in]  count         the length of strides
 * @retval DVM_SUCCESS       strides is written
 * @retval DVM_ERR_ARGUMENT  strides is NULL, or there is no such memory
 * @retval DVM_ERR_SIZE      count is not the number of dimensions
 * @retval DVM_ERR_STATE     the layout interleaves dimensions, so that there are no such strides
 * @retval DVM_ERR_ID        the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_strides(dvm_distribution_t distribution,
                                       int64_t memory,
                                       int64_t *strides,
                                       int count);

/**
 * @brief Free a distribution. Plans that were made of it stay.
 *
 * @param[in] distribution  the distribution
 * @retval DVM_SUCCESS  its handle is stale now
 * @retval DVM_ERR_ID   the distribution is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_distribution_free(dvm_distribution_t distribution);

/* ----- Redistributions: from a distribution of an array to another, every element exactly once -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task, any time.
 */

/**
 * Spread the sending over replicas so that the largest load of a source memory is least; without it, as few strided
 * copies as possible.
 */
#define DVM_REDISTRIBUTION_BALANCE 1

/**
 * The memories lie in several processes, and all processes of the job make the plan together.
 */
#define DVM_REDISTRIBUTION_COLLECTIVE 2

/**
 * A planned redistribution, by handle.
 */
typedef struct {
    /**
     * A number that is never given twice; 0 is never given.
     */
    uint64_t number;
} dvm_redistribution_t;

/**
 * The costs of a redistribution, and lower bounds for them.
 */
typedef struct {
    /**
     * `sizeof(dvm_redistribution_figures_t)`, set by the caller: later versions append fields.
     */
    size_t size;
    /**
     * The memories of the source distribution.
     */
    int64_t source_memories;
    /**
     * The memories of the target distribution.
     */
    int64_t target_memories;
    /**
     * Elements copied: the places of the target whose element the source has, which is also the least possible.
     */
    int64_t elements;
    /**
     * The same in bytes.
     */
    int64_t bytes;
    /**
     * Places of the target whose element the source does not have; they stay as they are.
     */
    int64_t missing;
    /**
     * Pairs of memories that exchange something.
     */
    int64_t messages;
    /**
     * The bytes of the largest of them.
     */
    int64_t largest_message;
    /**
     * Strided copies (dvm_redistribution_descriptor); at least as many as messages.
     */
    int64_t descriptors;
    /**
     * The bytes that the busiest source memory sends.
     */
    int64_t largest_load;
    /**
     * The least possible value of it when the plan was balanced, else 0.
     */
    int64_t least_load;
} dvm_redistribution_figures_t;

/**
 * @brief Plan the redistribution from a distribution of an array to another: once, for any number of rounds.
 *
 * Without DVM_REDISTRIBUTION_COLLECTIVE all memories are the calling process's, also in a job of several. With it the
 * memories belong to the processes that dvm_distribution_set_processes or dvm_distribution_set_grid has named, and the
 * call is collective: all processes of the job make it, in the same order, with equal distributions and flags, and each
 * waits for all. If one of them fails, or gives something else, the call fails in all.
 *
 * @param[in]  source  the distribution that the elements come from
 * @param[in]  target  the distribution that they are wanted in
 * @param[in]  flags   0, or a sum of DVM_REDISTRIBUTION_BALANCE and DVM_REDISTRIBUTION_COLLECTIVE
 * @param[out] plan    the handle of the new plan
 * @retval DVM_SUCCESS          plan is written
 * @retval DVM_ERR_ARGUMENT     plan is NULL, flags are unknown, the distributions have different numbers of
 *                              dimensions, a count exceeds 2^62, a memory belongs to a process that does not exist or,
 *                              without DVM_REDISTRIBUTION_COLLECTIVE, to another one; or, collective, another process
 *                              has made another plan
 * @retval DVM_ERR_ID           a distribution is unknown or has been freed
 * @retval DVM_ERR_UNSUPPORTED  the plan has more strided copies than fit in memory
 * @retval DVM_ERR_STATE        collective: the processes of a distribution's memories were not named, or another process
 *                              could not make the plan
 * @retval DVM_ERR_IN_TASK      collective, and called in a task
 * @retval DVM_ERR_PEER_LOST    collective, and a process that has memories is lost
 * @retval DVM_ERR_NOT_INITIALIZED  collective, and libdvm is not running
 *
 * Source: added; the second paper, section V.
 */
dvm_retcode_t dvm_redistribution_plan(dvm_distribution_t source,
                                      dvm_distribution_t target,
                                      int flags,
                                      dvm_redistribution_t *plan);

/**
 * @brief What a planned redistribution costs for elements of some size.
 *
 * @param[in]     plan     the plan
 * @param[in]     element  the bytes of an element, 1 to 64
 * @param[in,out] figures  on entry its size is set, on success all else
 * @retval DVM_SUCCESS       figures is written
 * @retval DVM_ERR_ARGUMENT  figures is NULL, its size is not that of this version, element is out of range, or the
 *                           bytes exceed 2^63
 * @retval DVM_ERR_ID        the plan is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_redistribution_figures(dvm_redistribution_t plan,
                                         size_t element,
                                         dvm_redistribution_figures_t *figures);

/**
 * @brief The elements that one memory sends another.
 *
 * @param[in]  plan      the plan
 * @param[in]  source    the number of the source memory, from 0
 * @param[in]  target    the number of the target memory, from 0
 * @param[out] elements  their number
 * @retval DVM_SUCCESS       elements is written
 * @retval DVM_ERR_ARGUMENT  elements is NULL, or there is no such memory
 * @retval DVM_ERR_ID        the plan is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_redistribution_message(dvm_redistribution_t plan,
                                         int64_t source,
                                         int64_t target,
                                         int64_t *elements);

/**
 * @brief One strided copy of a plan, as numbers.
 *
 * They are: source memory, target memory, place of the first element in the source, in the target, the number of
 * levels, and for each level its count, source stride and target stride, in elements, the smallest target stride
 * first.
 *
 * @param[in]  plan        the plan
 * @param[in]  index       which one, from 0 to the figures' descriptors - 1; they are sorted by the place in the
 *                         target
 * @param[out] descriptor  the numbers; what it does not need is not written
 * @param[in]  count       the length of descriptor: 5 + 3 for each level
 * @retval DVM_SUCCESS       descriptor is written
 * @retval DVM_ERR_ARGUMENT  descriptor is NULL, count is negative, or there is no such descriptor
 * @retval DVM_ERR_SIZE      descriptor is too short; dvm_last_error says how long it has to be
 * @retval DVM_ERR_ID        the plan is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_redistribution_descriptor(dvm_redistribution_t plan,
                                            int64_t index,
                                            int64_t *descriptor,
                                            int count);

/**
 * @brief Redistribute some arrays; returns when all elements are where the target wants them.
 *
 * All arrays have the plan's shape; their elements may have different sizes. Memories are data, named by their
 * number in the distribution; the id {0, 0} denotes a memory that holds nothing. Sources that are promises are
 * waited for. A target is either published already (registered or allocated), and is written in place: nobody else
 * may read or write it meanwhile; or a promise without a producer, which is published by this call: what is missing
 * in it is 0, or, when it carries a datum on (dvm_data_next), what that datum held. No reference of the caller is
 * used up.
 *
 * With a plan over processes (DVM_REDISTRIBUTION_COLLECTIVE) each process that has a memory makes the call, and gives the
 * data of its own memories and {0, 0} for those of others; the k-th call of a process with a plan is one round with the
 * k-th calls of the others. All give the same number of arrays and sizes of elements. In a process it returns when all
 * elements have come that this process wants, and nobody reads its memories any more. When it fails in a process, it
 * fails in those that exchange elements with that one; their targets may then hold some elements of both kinds.
 *
 * @param[in] plan     the plan
 * @param[in] arrays   the number of arrays, 0 or more
 * @param[in] element  for each array the bytes of an element, 1 to 64
 * @param[in] source   for each array the ids of all source memories
 * @param[in] target   for each array the ids of all target memories
 * @retval DVM_SUCCESS              all elements are there
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL with arrays above 0, arrays is negative, an element size is out
 *                                  of range, or a target shares memory with a source or another target
 * @retval DVM_ERR_SIZE             a datum is smaller than what lies in it
 * @retval DVM_ERR_ID               the plan or a datum is unknown or has been freed
 * @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
 * @retval DVM_ERR_STATE            a target is a promise that has a producer, is carried on by a task, or is a
 *                                  source, too
 * @retval DVM_ERR_POISONED         a source will never have a value; no target was written, promises are poisoned
 * @retval DVM_ERR_IN_TASK          called in a task: use dvm_redistribute_start
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_PEER_LOST        over processes: a process is lost that has memories of the plan: no call with this plan
 *                                  works any more
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Over processes also the error of another process that this one exchanges elements with, DVM_ERR_ARGUMENT if it gives
 * other arrays, DVM_ERR_ID if it has freed the plan, and DVM_ERR_STATE if the plan was made before dvm_finalize.
 *
 * Thread safety: any thread that is no worker, several at once on different targets. Source: added; the second
 * paper.
 */
dvm_retcode_t dvm_redistribute(dvm_redistribution_t plan,
                               int arrays,
                               const size_t *element,
                               dvm_data_id_t *source,
                               dvm_data_id_t *target);

/**
 * @brief Start a redistribution, which goes on beside the program.
 *
 * As dvm_redistribute otherwise; it may be called in a task. It is one task of the machine: it takes no worker
 * before its sources are published, dvm_wait waits for it, and what it publishes can be read by other tasks.
 *
 * @param[in]  plan     the plan
 * @param[in]  arrays   the number of arrays, 0 or more
 * @param[in]  element  for each array the bytes of an element, 1 to 64
 * @param[in]  source   for each array the ids of all source memories
 * @param[in]  target   for each array the ids of all target memories
 * @param[out] done     the id of a datum of 0 bytes with one reference: published when all elements are there,
 *                      poisoned when a source is. Wait for it with dvm_data_get, schedule tasks on it, or relax it
 * @retval DVM_SUCCESS              done is written
 * @retval DVM_ERR_ARGUMENT         done is NULL, or as in dvm_redistribute
 * @retval DVM_ERR_SIZE             a datum is smaller than what lies in it
 * @retval DVM_ERR_ID               the plan or a datum is unknown or has been freed
 * @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
 * @retval DVM_ERR_STATE            a target is a promise that has a producer, is carried on by a task, or is a
 *                                  source, too
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task, several at once on different targets. Source: added; the second paper.
 */
dvm_retcode_t dvm_redistribute_start(dvm_redistribution_t plan,
                                     int arrays,
                                     const size_t *element,
                                     dvm_data_id_t *source,
                                     dvm_data_id_t *target,
                                     dvm_data_id_t *done);

/**
 * @brief What other processes have sent this one in the rounds of a plan so far.
 *
 * @param[in]  plan      the plan
 * @param[out] messages  the messages: in each round one of each process that has elements for this one
 * @param[out] bytes     the bytes of the elements in them
 * @retval DVM_SUCCESS       messages and bytes are written; both are 0 for a plan inside a process
 * @retval DVM_ERR_ARGUMENT  messages or bytes is NULL
 * @retval DVM_ERR_ID        the plan is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_redistribution_received(dvm_redistribution_t plan, uint64_t *messages, uint64_t *bytes);

/**
 * @brief Free a plan. Redistributions under way end as if it were there.
 *
 * Not collective: rounds of it that other processes begin afterwards fail there.
 *
 * @param[in] plan  the plan
 * @retval DVM_SUCCESS  its handle is stale now
 * @retval DVM_ERR_ID   the plan is unknown or has been freed
 *
 * Source: added.
 */
dvm_retcode_t dvm_redistribution_free(dvm_redistribution_t plan);

/* ----- Strided copies one by one: what `dvm_dma.h` calls -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: any thread, any task; one at a time per engine.
 * DVM_ERR_NOT_INITIALIZED: libdvm is not running.
 */

/**
 * An engine of strided copies, by handle.
 */
typedef struct {
    /**
     * A number that is never given twice; 0 is never given.
     */
    uint64_t number;
} dvm_dma_t;

/**
 * @brief Make an engine of strided copies between some source and some target memories.
 *
 * @param[out] dma      the handle of the new engine
 * @param[in]  element  the bytes of an element, 1 to 64
 * @param[in]  source   the ids of the source memories; {0, 0}: one that is not used
 * @param[in]  sources  their number
 * @param[in]  target   the ids of the target memories; {0, 0}: one that is not used. A target shares no memory with
 *                      another one or with a source
 * @param[in]  targets  their number
 * @retval DVM_SUCCESS              dma is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, a count is negative, or element is out of range
 * @retval DVM_ERR_ID               a datum is unknown or has been freed
 * @retval DVM_ERR_NOT_READY        a target is a promise
 *
 * Thread safety: any thread, any task. Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_open(dvm_dma_t *dma,
                           size_t element,
                           dvm_data_id_t *source,
                           int64_t sources,
                           dvm_data_id_t *target,
                           int64_t targets);

/**
 * @brief Make an engine of strided copies between memories of several processes.
 *
 * Each process of the job makes the same engine, lists the same copies in the same order (sends and receives of all
 * memories, as code of `dvm-codegen redist c` does), and gives the data of its own memories and {0, 0} for those of others.
 * The copies are made in dvm_dma_wait, which is collective: all processes call it, as often as each other, and in the same
 * order as they make plans over processes. If one of them has listed something else, or fails, all get an error.
 *
 * @param[out] dma             the handle of the new engine
 * @param[in]  element         the bytes of an element, 1 to 64
 * @param[in]  source          the ids of the source memories
 * @param[in]  source_process  for each of them the index of its process
 * @param[in]  sources         their number
 * @param[in]  target          the ids of the target memories. A target shares no memory with another one or with a source
 * @param[in]  target_process  for each of them the index of its process
 * @param[in]  targets         their number
 * @retval DVM_SUCCESS              dma is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, a count is negative, element is out of range, there is no such
 *                                  process, or a memory of another process is not {0, 0}
 * @retval DVM_ERR_ID               a datum is unknown or has been freed
 * @retval DVM_ERR_NOT_READY        a target is a promise
 *
 * Thread safety: any thread, any task. Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_open_over(dvm_dma_t *dma,
                                size_t element,
                                dvm_data_id_t *source,
                                const int64_t *source_process,
                                int64_t sources,
                                dvm_data_id_t *target,
                                const int64_t *target_process,
                                int64_t targets);

/**
 * @brief The source side of a strided copy in one dimension; the next receive is its target side.
 *
 * @param[in] dma     the engine
 * @param[in] memory  the number of the source memory, from 0
 * @param[in] offset  the place of the first element, in elements
 * @param[in] count   how many elements, positive
 * @param[in] stride  how far apart they are, in elements
 * @retval DVM_SUCCESS              the copy waits for its receive
 * @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
 * @retval DVM_ERR_SIZE             a place is outside of the memory
 * @retval DVM_ERR_STATE            the send before has no receive
 * @retval DVM_ERR_ID               the engine is unknown or has been closed
 *
 * The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_send(dvm_dma_t dma, int64_t memory, int64_t offset, int64_t count, int64_t stride);

/**
 * @brief The source side of a strided copy in two dimensions; the next receive is its target side.
 *
 * @param[in] dma      the engine
 * @param[in] memory   the number of the source memory, from 0
 * @param[in] offset   the place of the first element, in elements
 * @param[in] count    how many elements, positive
 * @param[in] stride   how far apart they are, in elements
 * @param[in] count2   how many times that, positive
 * @param[in] stride2  how far apart these are
 * @retval DVM_SUCCESS              the copy waits for its receive
 * @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
 * @retval DVM_ERR_SIZE             a place is outside of the memory
 * @retval DVM_ERR_STATE            the send before has no receive
 * @retval DVM_ERR_ID               the engine is unknown or has been closed
 *
 * The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_send_2d(dvm_dma_t dma,
                              int64_t memory,
                              int64_t offset,
                              int64_t count,
                              int64_t stride,
                              int64_t count2,
                              int64_t stride2);

/**
 * @brief The source side of a strided copy in three dimensions; the next receive is its target side.
 *
 * @param[in] dma      the engine
 * @param[in] memory   the number of the source memory, from 0
 * @param[in] offset   the place of the first element, in elements
 * @param[in] count    how many elements, positive
 * @param[in] stride   how far apart they are, in elements
 * @param[in] count2   how many times that, positive
 * @param[in] stride2  how far apart these are
 * @param[in] count3   how many times that, positive
 * @param[in] stride3  how far apart these are
 * @retval DVM_SUCCESS              the copy waits for its receive
 * @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
 * @retval DVM_ERR_SIZE             a place is outside of the memory
 * @retval DVM_ERR_STATE            the send before has no receive
 * @retval DVM_ERR_ID               the engine is unknown or has been closed
 *
 * The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_send_3d(dvm_dma_t dma,
                              int64_t memory,
                              int64_t offset,
                              int64_t count,
                              int64_t stride,
                              int64_t count2,
                              int64_t stride2,
                              int64_t count3,
                              int64_t stride3);

/**
 * @brief The target side, in one dimension, of the copy that the last send began. Copies run in any order, also at
 * the same time.
 *
 * @param[in] dma     the engine
 * @param[in] memory  the number of the target memory, from 0
 * @param[in] offset  the place of the first element, in elements
 * @param[in] count   how many elements, positive
 * @param[in] stride  how far apart they are, in elements
 * @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
 * @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
 *                                  to one place because a stride is 0; a target shares memory with a source or
 *                                  another target
 * @retval DVM_ERR_SIZE             a place is outside of the memory
 * @retval DVM_ERR_STATE            there was no send
 * @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
 * @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
 * @retval DVM_ERR_POISONED         in a task: a source will never have a value
 * @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
 * two waits may have one place of a target.
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_receive(dvm_dma_t dma,
                              int64_t memory,
                              int64_t offset,
                              int64_t count,
                              int64_t stride);

/**
 * @brief The target side, in two dimensions, of the copy that the last send began. Copies run in any order, also at
 * the same time.
 *
 * @param[in] dma      the engine
 * @param[in] memory   the number of the target memory, from 0
 * @param[in] offset   the place of the first element, in elements
 * @param[in] count    how many elements, positive
 * @param[in] stride   how far apart they are, in elements
 * @param[in] count2   how many times that, positive
 * @param[in] stride2  how far apart these are
 * @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
 * @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
 *                                  to one place because a stride is 0; a target shares memory with a source or
 *                                  another target
 * @retval DVM_ERR_SIZE             a place is outside of the memory
 * @retval DVM_ERR_STATE            there was no send
 * @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
 * @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
 * @retval DVM_ERR_POISONED         in a task: a source will never have a value
 * @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
 * two waits may have one place of a target.
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_receive_2d(dvm_dma_t dma,
                                 int64_t memory,
                                 int64_t offset,
                                 int64_t count,
                                 int64_t stride,
                                 int64_t count2,
                                 int64_t stride2);

/**
 * @brief The target side, in three dimensions, of the copy that the last send began. Copies run in any order, also
 * at the same time.
 *
 * @param[in] dma      the engine
 * @param[in] memory   the number of the target memory, from 0
 * @param[in] offset   the place of the first element, in elements
 * @param[in] count    how many elements, positive
 * @param[in] stride   how far apart they are, in elements
 * @param[in] count2   how many times that, positive
 * @param[in] stride2  how far apart these are
 * @param[in] count3   how many times that, positive
 * @param[in] stride3  how far apart these are
 * @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
 * @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
 *                                  to one place because a stride is 0; a target shares memory with a source or
 *                                  another target
 * @retval DVM_ERR_SIZE             a place is outside of the memory
 * @retval DVM_ERR_STATE            there was no send
 * @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
 * @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
 * @retval DVM_ERR_POISONED         in a task: a source will never have a value
 * @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 *
 * The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
 * two waits may have one place of a target.
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_receive_3d(dvm_dma_t dma,
                                 int64_t memory,
                                 int64_t offset,
                                 int64_t count,
                                 int64_t stride,
                                 int64_t count2,
                                 int64_t stride2,
                                 int64_t count3,
                                 int64_t stride3);

/**
 * @brief Wait for all copies so far.
 *
 * In a task the copies are made before a receive or this call returns. For an engine over processes
 * (dvm_dma_open_over) the call is collective and not allowed in a task; its errors are then also those of
 * dvm_redistribution_plan and dvm_redistribute over processes.
 *
 * @param[in] dma  the engine
 * @retval DVM_SUCCESS              all copies are made
 * @retval DVM_ERR_STATE            a send has no receive, or a receive had no send
 * @retval DVM_ERR_POISONED         a source will never have a value: its copies were not made
 * @retval DVM_ERR_IN_TASK          called in a task after copies were started outside of it
 * @retval DVM_ERR_ARGUMENT         a send or receive since the last wait said so, or memories overlap
 * @retval DVM_ERR_SIZE             a send or receive since the last wait said so
 * @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
 * @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_wait(dvm_dma_t dma);

/**
 * @brief Wait for all copies so far and close the engine.
 *
 * @param[in] dma  the engine
 * @retval DVM_SUCCESS              all copies are made; its handle is stale now
 * @retval DVM_ERR_ID               the engine is unknown or has been closed
 * @retval DVM_ERR_IN_TASK          called in a task after copies were started outside of it: the engine stays open
 * @retval DVM_ERR_STATE            as dvm_dma_wait; the engine is closed
 * @retval DVM_ERR_POISONED         as dvm_dma_wait; the engine is closed
 * @retval DVM_ERR_ARGUMENT         as dvm_dma_wait; the engine is closed
 * @retval DVM_ERR_SIZE             as dvm_dma_wait; the engine is closed
 * @retval DVM_ERR_NOT_READY        as dvm_dma_wait; the engine is closed
 * @retval DVM_ERR_NO_REFERENCE     as dvm_dma_wait; the engine is closed
 * @retval DVM_ERR_MEMORY           as dvm_dma_wait; the engine is closed
 *
 * Source: added; the second paper, Figure 7.
 */
dvm_retcode_t dvm_dma_close(dvm_dma_t dma);

/* ----- Errors in words ----- */

/**
 * @brief The meaning of a code, in words.
 *
 * @param[in] code  any number; for one that is no code the text says so
 * @return a text that stays valid while the program runs, never NULL; the caller does not free it
 *
 * Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
 * Source: added to the report's interface.
 */
const char *dvm_strerror(dvm_retcode_t code);

/**
 * @brief The message of the calling thread's last failing call: what, where, why and what to do.
 *
 * Calls that succeed leave it as it is.
 *
 * @return a text that is valid until the calling thread's next failing call, never NULL, empty when no call of
 *         this thread has failed; the caller does not free it
 *
 * Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize; each thread sees its own.
 * Source: added to the report's interface.
 */
const char *dvm_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
