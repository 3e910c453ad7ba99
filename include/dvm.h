/* libdvm: every core of every process as one machine of processing units.
 *
 * Generated from the Rust sources by `DVM_BLESS=1 cargo test -p dvm-bindings`; do not edit.
 *
 * Rules that hold for every function and are not repeated:
 *
 *  - Pointers are never kept beyond the call, unless a function says so.
 *  - A call that fails changes nothing, writes no output and takes no reference, unless a function says so; it leaves
 *    its story with dvm_last_error().
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

/**
 * What a call of libdvm came to. The values are stable: a code is never renumbered and never reused.
 *
 * `dvm_strerror` gives the meaning of a code, `dvm_last_error` the story of the calling thread's last failure.
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
     * The datum is unknown: its id was never given, or the datum has been freed.
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
 * Access mode of an argument: the task reads it. The default.
 */
#define DVM_IN 0

/**
 * Access mode of an argument: the task produces it.
 */
#define DVM_OUT 1

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

/* ----- Starting, waiting and ending ----- */

/**
 * @brief Start libdvm: look at the machine and start one worker thread per processing unit.
 *
 * Collective over the processes of the job. After dvm_finalize it may be called again; ids are not given again.
 * When libdvm was started on behalf of generated code, the call succeeds and the caller becomes responsible for
 * dvm_finalize.
 *
 * @retval DVM_SUCCESS                  libdvm is running
 * @retval DVM_ERR_ALREADY_INITIALIZED  it was running already
 * @retval DVM_ERR_IN_TASK              called inside a task or a free callback
 * @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
 * @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
 * @retval DVM_ERR_MEMORY               the threads could not be started
 * @retval DVM_ERR_UNSUPPORTED          the machine's topology cannot be read, or this process was forked while libdvm was
 *                                      running: the workers stayed in the parent, and every other call answers
 *                                      DVM_ERR_NOT_INITIALIZED here
 *
 * Thread safety: one thread at a time, no task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_init(void);

/**
 * @brief Start libdvm beside an MPI program, on the processes of one of its communicators.
 *
 * This version runs in one process: the call answers DVM_ERR_UNSUPPORTED and starts nothing.
 *
 * @param[in] fortran_comm  the communicator as MPI_Comm_c2f gives it
 * @retval DVM_ERR_UNSUPPORTED          this version has no transport for MPI: use dvm_init
 * @retval DVM_ERR_ALREADY_INITIALIZED  libdvm is running already
 * @retval DVM_ERR_IN_TASK              called inside a task or a free callback
 * @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
 *
 * Thread safety: one thread at a time, no task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_init_comm(int fortran_comm);

/**
 * @brief Wait for all tasks, end libdvm, and free all data that are left, calling their free callbacks.
 *
 * Collective. Tasks that wait for data which nobody has published are cancelled. Memory obtained by dvm_data_get is
 * gone afterwards, also when it was not put. The codes DVM_ERR_TASK and DVM_ERR_STATE (the first meaning) tell what
 * went wrong before; libdvm has ended all the same.
 *
 * @retval DVM_SUCCESS              libdvm has ended
 * @retval DVM_ERR_TASK             libdvm has ended; tasks had failed and no wait had reported it
 * @retval DVM_ERR_STATE            libdvm has ended; tasks waited for data that nobody published and were cancelled.
 *                                  Or: another thread is in init, wait, serve or finalize, and nothing was done
 * @retval DVM_ERR_ARGUMENT         libdvm has ended; the file of DVM_TRACE or of DVM_DOT could not be written
 * @retval DVM_ERR_NOT_INITIALIZED  it was not running
 * @retval DVM_ERR_IN_TASK          called inside a task or a free callback
 *
 * Thread safety: one thread at a time, no task. Calls that other threads make meanwhile are safe and find libdvm
 * running or not. Source: added to the report's interface.
 */
dvm_retcode_t dvm_finalize(void);

/**
 * @brief Wait until every scheduled task has ended, in all processes.
 *
 * Collective. The caller sleeps. Failures of tasks since the last wait are reported once, here. A task that was only
 * cancelled, because of a failure that was reported before, is no failure of its own.
 *
 * @retval DVM_SUCCESS              all tasks have ended, none has failed since the last wait
 * @retval DVM_ERR_TASK             all tasks have ended, some have failed: dvm_last_error names processings and codes
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
 * This version runs in one process, which is process 0: the call answers DVM_ERR_UNSUPPORTED.
 *
 * @retval DVM_ERR_UNSUPPORTED      process 0 does not serve: it calls dvm_wait and dvm_finalize
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 * @retval DVM_ERR_IN_TASK          called inside a task or a free callback
 *
 * Thread safety: one thread at a time, no task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_serve(void);

/**
 * @brief Which process of the job this is, and how many there are.
 *
 * @param[out] index  the calling process, from 0
 * @param[out] count  the number of processes
 * @retval DVM_SUCCESS              both are written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_process(uint64_t *index, uint64_t *count);

/* ----- Ranks: the coordinates of the processing units ----- */

/**
 * @brief The number of components of a rank.
 *
 * It is the same on all processes and at most DVM_MAX_RANK_DEPTH.
 *
 * @param[out] dimension  the number of components
 * @retval DVM_SUCCESS              dimension is written
 * @retval DVM_ERR_ARGUMENT         dimension is NULL
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, ranking.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, ranking.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, ranking.
 */
dvm_retcode_t dvm_rank_size(dvm_rank_t size_array, int size_array_size);

/**
 * @brief The number of processing units of all processes together.
 *
 * @param[out] count  the number of processing units, at least 1
 * @retval DVM_SUCCESS              count is written
 * @retval DVM_ERR_ARGUMENT         count is NULL
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_rank_distance(dvm_rank_t a,
                                dvm_rank_t b,
                                uint64_t *distance);

/* ----- Data: blobs of bytes with an id and references ----- */

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
 *                      any thread, with no lock of libdvm held, and may call what a task may call
 * @param[out] id       the id of the new datum
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         addr or id is NULL, or addr and size wrap around
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
 */
dvm_retcode_t dvm_data_allocate(size_t size,
                                dvm_data_id_t *id);

/**
 * @brief Add a reference to a datum.
 *
 * Each task takes one reference of each of its inputs: a datum that n tasks read needs n - 1 acquires.
 *
 * @param[in] id  the datum
 * @retval DVM_SUCCESS              the datum has one reference more
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            the datum ends with the task that reads it now, because that task carries its
 *                                  storage on in place (dvm_data_next)
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
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
 * @param[in]  id    the datum
 * @param[out] addr  the address of its bytes
 * @param[out] size  their number
 * @retval DVM_SUCCESS              addr and size are written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_NOT_READY        in a task or a free callback: the datum is not published yet; schedule a task on it
 * @retval DVM_ERR_POISONED         the task that was to produce the datum has failed or was cancelled
 * @retval DVM_ERR_STATE            the storage is being carried on in place by a task (dvm_data_next)
 * @retval DVM_ERR_MEMORY           no memory for the bytes
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_get(dvm_data_id_t id,
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_put(dvm_data_id_t id);

/**
 * @brief Make the id of a datum whose bytes do not exist yet.
 *
 * It starts with one reference. A task that reads it waits, taking no worker, until it is published. It has one
 * producer: the task that it is an output of, or whoever calls dvm_data_write and then dvm_data_publish.
 *
 * @param[in]  size  the size in bytes; 0 is legal
 * @param[out] id    the id of the new datum
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_MEMORY           no machine has that much memory, or none is left for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_promise(size_t size,
                               dvm_data_id_t *id);

/**
 * @brief Become the producer of a promise by hand: address and size of the memory to write, zeroed.
 *
 * It ends with dvm_data_publish, after which the bytes do not change any more. The memory stays until then, also
 * when the last reference goes.
 *
 * @param[in]  id    the promise
 * @param[out] addr  the address of its bytes
 * @param[out] size  their number
 * @retval DVM_SUCCESS              addr and size are written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_ID               the datum is unknown or has been freed
 * @retval DVM_ERR_STATE            it is published, or has a producer, or carries on another datum (dvm_data_next)
 * @retval DVM_ERR_POISONED         it was poisoned
 * @retval DVM_ERR_MEMORY           no memory for the bytes
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_write(dvm_data_id_t id,
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
 *                                  another datum (dvm_data_next) and the caller is not the task that it is an output of
 * @retval DVM_ERR_POISONED         it was poisoned
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_publish(dvm_data_id_t id);

/**
 * @brief Make a promise that carries on the storage of a datum: in-place update with single-assignment meaning.
 *
 * The new promise has the size of the current datum, starts with one reference and takes none of the current one. It
 * can only be the output of a task that also reads the current datum. When that task starts, holds the current
 * datum's last references, and nobody holds a get of it, the new datum is the same memory and nothing is copied; the
 * current datum then ends with the task. Otherwise the new datum begins as a copy, aligned to 64 bytes.
 *
 * @param[in]  current  a datum, published or not
 * @param[out] next     the id of the new promise
 * @retval DVM_SUCCESS              next is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_ID               the current datum is unknown or has been freed
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_data_next(dvm_data_id_t current,
                            dvm_data_id_t *next);

/* ----- Processings: registered functions ----- */

/**
 * @brief Register a function, so that tasks can run it.
 *
 * The function is called with exactly number_of_args arguments, each a dvm_data_id_t (a pointer to two numbers that
 * is good until the task ends), and returns an int: 0 for success; anything else fails the task and poisons its
 * outputs. It is called by the worker threads, several at a time. All arguments are inputs, unless
 * dvm_processing_access says otherwise.
 *
 * @param[in]  callback        the function; in C++ and C23 cast it with DVM_CALLBACK
 * @param[in]  number_of_args  0 to DVM_MAX_PLAIN_ARGUMENTS
 * @param[in]  description     a short description for messages, copied; may be NULL
 * @param[out] id              the id of the new processing
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is out of range
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, processing.
 */
dvm_retcode_t dvm_processing_register(int (*callback)(),
                                      int number_of_args,
                                      char *description,
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
 * @retval DVM_ERR_SYMBOL           the running program has no such dynamic symbol
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, processing.
 */
dvm_retcode_t dvm_processing_register_by_name(char *function_name,
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
 *                             processing is unregistered and its last task has ended; an address of this process
 * @param[in]  number_of_args  0 or more
 * @param[in]  description     a short description for messages, copied; may be NULL
 * @param[out] id              the id of the new processing
 * @retval DVM_SUCCESS              id is written
 * @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is negative
 * @retval DVM_ERR_MEMORY           no memory for the bookkeeping
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_processing_register_v(int (*callback)(void *context, dvm_data_id_t *ids, int count),
                                        void *context,
                                        int number_of_args,
                                        char *description,
                                        dvm_processing_id_t id);

/**
 * @brief Say which arguments of a processing its tasks read and which they produce.
 *
 * Before the first task of the processing. Without this call all arguments are inputs.
 *
 * @param[in] id     the processing
 * @param[in] modes  one of DVM_IN and DVM_OUT for each of its arguments
 * @retval DVM_SUCCESS              the modes are set
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL, or a mode is unknown
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_STATE            a task of this processing was scheduled already
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_processing_access(dvm_processing_id_t id, int *modes);

/**
 * @brief Forget a processing. Tasks that were scheduled with it still run; no new ones can be.
 *
 * @param[in] id  the address of the processing's id; the id itself is not changed
 * @retval DVM_SUCCESS              the id is stale now
 * @retval DVM_ERR_ARGUMENT         id is NULL
 * @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, processing.
 */
dvm_retcode_t dvm_processing_unregister(dvm_processing_id_t *id);

/* ----- Scheduling: a processing and its data, brought together at a processing unit ----- */

/**
 * @brief Run a processing on its data, on the processing unit with this rank.
 *
 * The task takes one reference of each of its inputs now and drops it when it has ended. It runs after all of its
 * inputs are published; each processing unit takes its ready tasks in the order in which they became ready. The
 * runtime never moves it. Scheduling never blocks. A task that reads a poisoned datum is accepted and ends as
 * cancelled.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, scheduling.
 */
dvm_retcode_t dvm_sched_onto(dvm_rank_t rank,
                             dvm_processing_id_t function,
                             ...);

/**
 * @brief Run a processing on its data, on the processing unit with this rank: dvm_sched_onto with an array of ids.
 *
 * @param[in] rank      a rank, all DVM_MAX_RANK_DEPTH components
 * @param[in] function  the processing
 * @param[in] ids       the ids of its data, count entries; may be NULL when count is 0
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_sched_onto_v(dvm_rank_t rank,
                               dvm_processing_id_t function,
                               dvm_data_id_t *ids,
                               int count);

/**
 * @brief Run a processing near its data.
 *
 * The processing unit is the one that holds most of the input bytes; when they are spread, the one closest to their
 * weighted barycentre. It is chosen when the inputs are published. Idle processing units may steal the task, nearest
 * first. Otherwise as dvm_sched_onto_v.
 *
 * @param[in] function  the processing
 * @param[in] ids       the ids of its data, count entries; may be NULL when count is 0
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface, after its section 5.5.
 */
dvm_retcode_t dvm_sched_near(dvm_processing_id_t function,
                             dvm_data_id_t *ids,
                             int count);

/**
 * @brief The number of tasks of a processing unit that were scheduled and have not ended.
 *
 * Tasks that are to run near data which are not all published belong to no processing unit yet.
 *
 * @param[in]  rank  a rank, all DVM_MAX_RANK_DEPTH components
 * @param[out] load  the number of tasks
 * @retval DVM_SUCCESS              load is written
 * @retval DVM_ERR_ARGUMENT         a pointer is NULL
 * @retval DVM_ERR_RANK             no processing unit has this rank
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: report, section 4.2.4, scheduling.
 */
dvm_retcode_t dvm_sched_load(dvm_rank_t rank, uint64_t *load);

/* ----- Living with others: tasks that block, and tasks that use several cores ----- */

/**
 * @brief Say that this task is about to wait for something outside libdvm: a message, a file, a lock.
 *
 * Until dvm_blocking_end another thread runs tasks on this processing unit in its place: a spare one, or a new one.
 * There is no limit to the number of tasks that block at once but the system's for threads. All other calls stay
 * allowed, and do what they do in a task. A section that the task leaves open ends with the task. In a tile that runs
 * on the program's own thread the call succeeds and does nothing.
 *
 * @retval DVM_SUCCESS              the section has begun
 * @retval DVM_ERR_STATE            not called in a task or tile, or the task is in a section already
 * @retval DVM_ERR_MEMORY           no thread could be started; the task may block all the same, and holds its processing
 *                                  unit meanwhile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any task, on the thread that libdvm called it on. Source: added to the report's interface.
 */
dvm_retcode_t dvm_blocking_begin(void);

/**
 * @brief Say that this task has waited, and goes on computing.
 *
 * The call returns when the task that runs in its place has ended: a processing unit runs one task at a time. A task of
 * several cores gets them again, too.
 *
 * @retval DVM_SUCCESS              the section has ended
 * @retval DVM_ERR_STATE            not called in a task or tile, or the task is in no section
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any task, on the thread that libdvm called it on. Source: added to the report's interface.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task. Source: added to the report's interface.
 */
dvm_retcode_t dvm_processing_cores(dvm_processing_id_t id,
                                   int cores);

/* ----- Parameterised task graphs: the interface of generated code ----- */

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
 * The tiles are the integer points of the box `lower ..= upper`. Edges are told in one of two ways:
 *
 * * by `carried`, with `predecessors` and `successors` both NULL: tile T waits for T - e_k for each coordinate k with
 *   `carried[k]` set for which that is in the box. In a permutable band these edges order all dependences.
 * * by `predecessors` and `successors`, both given and in agreement; `carried` is not read then.
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
     * Number of predecessors of a tile; negative: this point of the box is not a tile. NULL: by `carried`.
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
} dvm_graph_t;

/**
 * @brief Start libdvm when it is not running yet: for generated code in programs that do not call dvm_init.
 *
 * What it has started ends when the program exits. A later dvm_init takes over: it succeeds, and the program then
 * calls dvm_finalize as usual. When libdvm runs already, nothing happens.
 *
 * @retval DVM_SUCCESS          libdvm is running
 * @retval DVM_ERR_ARGUMENT     an environment variable of libdvm has a value that is not understood
 * @retval DVM_ERR_MEMORY       the threads could not be started
 * @retval DVM_ERR_UNSUPPORTED  the machine's topology cannot be read, or this process was forked while libdvm ran
 *
 * Thread safety: any thread, any time, several at once. Source: added to the report's interface.
 */
dvm_retcode_t dvm_graph_start(void);

/**
 * @brief Run a graph; returns when all of its tiles have run.
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
 * @retval DVM_ERR_TASK             a tile failed: the tiles after it have not run, others may have
 * @retval DVM_ERR_STATE            tiles are left over whose predecessors never ran, or predecessors and successors do
 *                                  not agree
 * @retval DVM_ERR_IN_TASK          called inside a task or a tile
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any time, several at once. Source: added to the report's interface.
 */
dvm_retcode_t dvm_graph_sizes(const char *name,
                              int dimension,
                              const int64_t *extent,
                              const int *carried,
                              int64_t (*footprint)(void *context, const int64_t *sizes),
                              void *context,
                              int64_t *sizes);

/* ----- Explanations: what waits for what, for a program that does not go on ----- */

/**
 * @brief Print on stderr what waits for what.
 *
 * Each task that waits is named with its processing's description, its arguments and its place, with the datum that it
 * misses and with who was to publish that: a task, the program by hand, or nobody. Cycles are found. Threads that sleep in
 * dvm_data_get are counted with the datum that they wait for. Of graphs that run, the tiles that run and that wait are
 * told, with the predecessors that they miss. Long lists are cut and counted. Workers go on meanwhile.
 *
 * The environment variables DVM_WATCHDOG and DVM_EXPLAIN_SIGNAL have libdvm do this by itself.
 *
 * @retval DVM_SUCCESS              it is printed
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task; not in a signal's handler. Source: added to the report's interface.
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
 * @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
 *
 * Thread safety: any thread, any task; not in a signal's handler. Source: added to the report's interface.
 */
dvm_retcode_t dvm_explain_text(void *buffer,
                               size_t size,
                               size_t *needed);

/* ----- Errors in words ----- */

/**
 * @brief The meaning of a code, in words.
 *
 * @param[in] code  any number; one that is no code gets a text that says so
 * @return a text that lives as long as the program, never NULL; the caller does not free it
 *
 * Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
 * Source: added to the report's interface.
 */
const char *dvm_strerror(dvm_retcode_t code);

/**
 * @brief The story of the calling thread's last failing call: what, where, why and what to do.
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
