! libdvm for Fortran: every core of every process as one machine of processing units.
!
! Generated from the Rust sources by `DVM_BLESS=1 cargo test -p dvm-bindings`; do not edit.
!
! Every function of dvm.h is here under its name; its comment is that of the C header. What differs:
!
!  - An id is an array of two integers, a list of ids is an array (2, n), a rank has DVM_MAX_RANK_DEPTH integers. C's unsigned
!    64-bit numbers are integer(c_int64_t).
!  - A procedure that is run as a task is an `integer(c_int) function ... bind(C)`; c_funloc(name) names it. With
!    dvm_processing_register its arguments are its ids, each `integer(c_int64_t), intent(in) :: id(2)`; with
!    dvm_processing_register_v they are (context, ids, count): `type(c_ptr), value`, `ids(2, *)`, `integer(c_int), value`.
!  - c_loc(x) is the address of a variable x with the target attribute; c_f_pointer makes an array of an address.
!  - Texts are Fortran's; descriptions and lists of ids may be left out, and the number of ids is that of the list.
module dvm
  use, intrinsic :: iso_c_binding
  implicit none
  private

  !> The call did what it says.
  integer(c_int), parameter, public :: DVM_SUCCESS = 0

  !> An argument is NULL, negative, of unknown mode, or of the wrong count.
  integer(c_int), parameter, public :: DVM_ERR_ARGUMENT = 1

  !> libdvm is not running: before `dvm_init`, or after `dvm_finalize`.
  integer(c_int), parameter, public :: DVM_ERR_NOT_INITIALIZED = 2

  !> `dvm_init` was called while libdvm is running.
  integer(c_int), parameter, public :: DVM_ERR_ALREADY_INITIALIZED = 3

  !> No processing unit has this rank, or no processing unit has this index.
  integer(c_int), parameter, public :: DVM_ERR_RANK = 4

  !> An array is too short for the dimension of the ranks, or longer than `DVM_MAX_RANK_DEPTH`.
  integer(c_int), parameter, public :: DVM_ERR_SIZE = 5

  !> The datum is unknown: its id was never given, or the datum has been freed.
  integer(c_int), parameter, public :: DVM_ERR_ID = 6

  !> The processing is unknown or has been unregistered.
  integer(c_int), parameter, public :: DVM_ERR_PROCESSING = 7

  !> No function of this name can be found in the running program.
  integer(c_int), parameter, public :: DVM_ERR_SYMBOL = 8

  !> All references of the datum are taken by tasks that are already scheduled.
  integer(c_int), parameter, public :: DVM_ERR_NO_REFERENCE = 9

  !> The call does not fit the state of its object: put without get, second publish, second producer, and the like.
  integer(c_int), parameter, public :: DVM_ERR_STATE = 10

  !> The datum is not published yet, and a task may not wait for it.
  integer(c_int), parameter, public :: DVM_ERR_NOT_READY = 11

  !> The datum will never have a value: the task that was to produce it has failed or was cancelled.
  integer(c_int), parameter, public :: DVM_ERR_POISONED = 12

  !> The call is not allowed inside a task or a free callback.
  integer(c_int), parameter, public :: DVM_ERR_IN_TASK = 13

  !> At least one task has failed since the last wait.
  integer(c_int), parameter, public :: DVM_ERR_TASK = 14

  !> The memory asked for is not to be had.
  integer(c_int), parameter, public :: DVM_ERR_MEMORY = 15

  !> This build, or this way of launching, does not offer what was asked for.
  integer(c_int), parameter, public :: DVM_ERR_UNSUPPORTED = 16

  !> Another process of the job has gone away.
  integer(c_int), parameter, public :: DVM_ERR_PEER_LOST = 17

  !> libdvm has met a defect of its own; what it was doing may be half done.
  integer(c_int), parameter, public :: DVM_ERR_PANIC = 18

  !> The greatest number of components of a rank.
  integer(c_int), parameter, public :: DVM_MAX_RANK_DEPTH = 8

  !> The greatest number of arguments of a callback registered with `dvm_processing_register` or
  !> `dvm_processing_register_by_name`; `dvm_processing_register_v` has no such limit.
  integer(c_int), parameter, public :: DVM_MAX_PLAIN_ARGUMENTS = 64

  !> Access mode of an argument: the task reads it. The default.
  integer(c_int), parameter, public :: DVM_IN = 0

  !> Access mode of an argument: the task produces it.
  integer(c_int), parameter, public :: DVM_OUT = 1

  !> The greatest number of coordinates of a tile.
  integer(c_int), parameter, public :: DVM_GRAPH_MAX_DIMENSION = 16

  integer(c_int), parameter, public :: DVMSUCCESS = DVM_SUCCESS

  !> A task graph that is described by functions of integer coordinates and never held as a whole (the report's
  !> sections 4.2.4 and 5.6 name the cost of unfolding one): a tile becomes a task when its first input arrives.
  !>
  !> The tiles are the integer points of the box `lower ..= upper`. Edges are told in one of two ways:
  !>
  !> * by `carried`, with `predecessors` and `successors` both NULL: tile T waits for T - e_k for each coordinate k with
  !>   `carried[k]` set for which that is in the box. In a permutable band these edges order all dependences.
  !> * by `predecessors` and `successors`, both given and in agreement; `carried` is not read then.
  !>
  !> All functions may be called from any worker, several at a time. Arrays are updated in place: an edge only orders, and
  !> what a tile has written is visible to the tiles after it.
  type, bind(C), public :: dvm_graph_t
    !> `sizeof(dvm_graph_t)`: later versions append fields.
    integer(c_size_t) :: size = 0
    !> Name for traces and errors; may be NULL.
    type(c_ptr) :: name = c_null_ptr
    !> Number of coordinates, 0 to `DVM_GRAPH_MAX_DIMENSION`; a graph of dimension 0 has one tile.
    integer(c_int) :: dimension = 0
    !> Least coordinates, `dimension` values; may be NULL when `dimension` is 0.
    type(c_ptr) :: lower = c_null_ptr
    !> Greatest coordinates (they belong to the box); one below its least: no tiles.
    type(c_ptr) :: upper = c_null_ptr
    !> `dimension` flags; NULL: no edges, all tiles are independent.
    type(c_ptr) :: carried = c_null_ptr
    !> Runs a tile; 0 is success, everything else stops the graph.
    type(c_funptr) :: run = c_null_funptr
    !> Number of predecessors of a tile; negative: this point of the box is not a tile. NULL: by `carried`.
    type(c_funptr) :: predecessors = c_null_funptr
    !> Calls `visit(visitor, T)` once for each successor T of a tile. NULL: by `carried`.
    type(c_funptr) :: successors = c_null_funptr
    !> First argument of the functions.
    type(c_ptr) :: context = c_null_ptr
  end type dvm_graph_t

  public :: dvm_init
  public :: dvm_init_comm
  public :: dvm_finalize
  public :: dvm_wait
  public :: dvm_serve
  public :: dvm_process
  public :: dvm_rank_dimension
  public :: dvm_rank_get
  public :: dvm_rank_size
  public :: dvm_rank_count
  public :: dvm_rank_at
  public :: dvm_rank_distance
  public :: dvm_data_register
  public :: dvm_data_allocate
  public :: dvm_data_acquire
  public :: dvm_data_relax
  public :: dvm_data_get
  public :: dvm_data_put
  public :: dvm_data_promise
  public :: dvm_data_write
  public :: dvm_data_publish
  public :: dvm_data_next
  public :: dvm_processing_register
  public :: dvm_processing_register_by_name
  public :: dvm_processing_register_v
  public :: dvm_processing_access
  public :: dvm_processing_unregister
  public :: dvm_sched_onto
  public :: dvm_sched_near
  public :: dvm_sched_load
  public :: dvm_blocking_begin
  public :: dvm_blocking_end
  public :: dvm_processing_cores
  public :: dvm_graph_start
  public :: dvm_graph_run
  public :: dvm_graph_sizes
  public :: dvm_explain
  public :: dvm_explain_text
  public :: dvm_strerror
  public :: dvm_last_error

  interface

    !> @brief Start libdvm: look at the machine and start one worker thread per processing unit.
    !>
    !> Collective over the processes of the job. After dvm_finalize it may be called again; ids are not given again.
    !> When libdvm was started on behalf of generated code, the call succeeds and the caller becomes responsible for
    !> dvm_finalize.
    !>
    !> @retval DVM_SUCCESS                  libdvm is running
    !> @retval DVM_ERR_ALREADY_INITIALIZED  it was running already
    !> @retval DVM_ERR_IN_TASK              called inside a task or a free callback
    !> @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
    !> @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
    !> @retval DVM_ERR_MEMORY               the threads could not be started
    !> @retval DVM_ERR_UNSUPPORTED          the machine's topology cannot be read, or this process was forked while libdvm was
    !>                                      running: the workers stayed in the parent, and every other call answers
    !>                                      DVM_ERR_NOT_INITIALIZED here
    !>
    !> Thread safety: one thread at a time, no task. Source: added to the report's interface.
    function dvm_init() &
        bind(C, name="dvm_init") result(code)
      import
      integer(c_int) :: code
    end function dvm_init

    !> @brief Start libdvm beside an MPI program, on the processes of one of its communicators.
    !>
    !> This version runs in one process: the call answers DVM_ERR_UNSUPPORTED and starts nothing.
    !>
    !> @param[in] fortran_comm  the communicator as MPI_Comm_c2f gives it
    !> @retval DVM_ERR_UNSUPPORTED          this version has no transport for MPI: use dvm_init
    !> @retval DVM_ERR_ALREADY_INITIALIZED  libdvm is running already
    !> @retval DVM_ERR_IN_TASK              called inside a task or a free callback
    !> @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
    !>
    !> Thread safety: one thread at a time, no task. Source: added to the report's interface.
    function dvm_init_comm(fortran_comm) &
        bind(C, name="dvm_init_comm") result(code)
      import
      integer(c_int), value :: fortran_comm
      integer(c_int) :: code
    end function dvm_init_comm

    !> @brief Wait for all tasks, end libdvm, and free all data that are left, calling their free callbacks.
    !>
    !> Collective. Tasks that wait for data which nobody has published are cancelled. Memory obtained by dvm_data_get is
    !> gone afterwards, also when it was not put. The codes DVM_ERR_TASK and DVM_ERR_STATE (the first meaning) tell what
    !> went wrong before; libdvm has ended all the same.
    !>
    !> @retval DVM_SUCCESS              libdvm has ended
    !> @retval DVM_ERR_TASK             libdvm has ended; tasks had failed and no wait had reported it
    !> @retval DVM_ERR_STATE            libdvm has ended; tasks waited for data that nobody published and were cancelled.
    !>                                  Or: another thread is in init, wait, serve or finalize, and nothing was done
    !> @retval DVM_ERR_ARGUMENT         libdvm has ended; the file of DVM_TRACE or of DVM_DOT could not be written
    !> @retval DVM_ERR_NOT_INITIALIZED  it was not running
    !> @retval DVM_ERR_IN_TASK          called inside a task or a free callback
    !>
    !> Thread safety: one thread at a time, no task. Calls that other threads make meanwhile are safe and find libdvm
    !> running or not. Source: added to the report's interface.
    function dvm_finalize() &
        bind(C, name="dvm_finalize") result(code)
      import
      integer(c_int) :: code
    end function dvm_finalize

    !> @brief Wait until every scheduled task has ended, in all processes.
    !>
    !> Collective. The caller sleeps. Failures of tasks since the last wait are reported once, here. A task that was only
    !> cancelled, because of a failure that was reported before, is no failure of its own.
    !>
    !> @retval DVM_SUCCESS              all tasks have ended, none has failed since the last wait
    !> @retval DVM_ERR_TASK             all tasks have ended, some have failed: dvm_last_error names processings and codes
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !> @retval DVM_ERR_IN_TASK          called inside a task or a free callback
    !> @retval DVM_ERR_STATE            another thread is in init, wait, serve or finalize
    !>
    !> Thread safety: one thread at a time, no task; other threads may schedule and publish meanwhile.
    !> Source: added to the report's interface.
    function dvm_wait() &
        bind(C, name="dvm_wait") result(code)
      import
      integer(c_int) :: code
    end function dvm_wait

    !> @brief Work until process 0 finalizes: for the processes of a job that run no program of their own.
    !>
    !> This version runs in one process, which is process 0: the call answers DVM_ERR_UNSUPPORTED.
    !>
    !> @retval DVM_ERR_UNSUPPORTED      process 0 does not serve: it calls dvm_wait and dvm_finalize
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !> @retval DVM_ERR_IN_TASK          called inside a task or a free callback
    !>
    !> Thread safety: one thread at a time, no task. Source: added to the report's interface.
    function dvm_serve() &
        bind(C, name="dvm_serve") result(code)
      import
      integer(c_int) :: code
    end function dvm_serve

    !> @brief Which process of the job this is, and how many there are.
    !>
    !> @param[out] index  the calling process, from 0
    !> @param[out] count  the number of processes
    !> @retval DVM_SUCCESS              both are written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_process(index, count) &
        bind(C, name="dvm_process") result(code)
      import
      integer(c_int64_t), intent(out) :: index
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: code
    end function dvm_process

    !> @brief The number of components of a rank.
    !>
    !> It is the same on all processes and at most DVM_MAX_RANK_DEPTH.
    !>
    !> @param[out] dimension  the number of components
    !> @retval DVM_SUCCESS              dimension is written
    !> @retval DVM_ERR_ARGUMENT         dimension is NULL
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, ranking.
    function dvm_rank_dimension(dimension) &
        bind(C, name="dvm_rank_dimension") result(code)
      import
      integer(c_int), intent(out) :: dimension
      integer(c_int) :: code
    end function dvm_rank_dimension

    !> @brief The rank of the executor: in a task, of the processing unit that runs it; elsewhere, of the first
    !> processing unit of the calling process.
    !>
    !> Component 0 is the host; the others are the levels of the machine tree that branch, outermost first.
    !>
    !> @param[out] rank_array      the components; those beyond the dimension become 0
    !> @param[in]  rank_array_size the number of components to write, from the dimension to DVM_MAX_RANK_DEPTH
    !> @retval DVM_SUCCESS              rank_array is written
    !> @retval DVM_ERR_ARGUMENT         rank_array is NULL, or rank_array_size is negative
    !> @retval DVM_ERR_SIZE             rank_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, ranking.
    function dvm_rank_get(rank_array, rank_array_size) &
        bind(C, name="dvm_rank_get") result(code)
      import
      integer(c_int64_t), intent(out) :: rank_array(*)
      integer(c_int), value :: rank_array_size
      integer(c_int) :: code
    end function dvm_rank_get

    !> @brief For each component of a rank, the largest number of siblings.
    !>
    !> @param[out] size_array      the sizes; those beyond the dimension become 0
    !> @param[in]  size_array_size the number of sizes to write, from the dimension to DVM_MAX_RANK_DEPTH
    !> @retval DVM_SUCCESS              size_array is written
    !> @retval DVM_ERR_ARGUMENT         size_array is NULL, or size_array_size is negative
    !> @retval DVM_ERR_SIZE             size_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, ranking.
    function dvm_rank_size(size_array, size_array_size) &
        bind(C, name="dvm_rank_size") result(code)
      import
      integer(c_int64_t), intent(out) :: size_array(*)
      integer(c_int), value :: size_array_size
      integer(c_int) :: code
    end function dvm_rank_size

    !> @brief The number of processing units of all processes together.
    !>
    !> @param[out] count  the number of processing units, at least 1
    !> @retval DVM_SUCCESS              count is written
    !> @retval DVM_ERR_ARGUMENT         count is NULL
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_rank_count(count) &
        bind(C, name="dvm_rank_count") result(code)
      import
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: code
    end function dvm_rank_count

    !> @brief The rank of the processing unit with this index, so that a program can walk over all of them.
    !>
    !> @param[in]  index           0 to the count of dvm_rank_count, exclusive
    !> @param[out] rank_array      the components; those beyond the dimension become 0
    !> @param[in]  rank_array_size the number of components to write, from the dimension to DVM_MAX_RANK_DEPTH
    !> @retval DVM_SUCCESS              rank_array is written
    !> @retval DVM_ERR_RANK             no processing unit has this index
    !> @retval DVM_ERR_ARGUMENT         rank_array is NULL, or rank_array_size is negative
    !> @retval DVM_ERR_SIZE             rank_array_size is below the dimension or above DVM_MAX_RANK_DEPTH
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_rank_at(index, rank_array, rank_array_size) &
        bind(C, name="dvm_rank_at") result(code)
      import
      integer(c_int64_t), value :: index
      integer(c_int64_t), intent(out) :: rank_array(*)
      integer(c_int), value :: rank_array_size
      integer(c_int) :: code
    end function dvm_rank_at

    !> @brief The distance of two processing units.
    !>
    !> 0 for the same one; it grows with the depth of the smallest part of the machine that holds both, and follows the
    !> machine's latency matrix where there is one. It is symmetric.
    !>
    !> @param[in]  a         a rank, all DVM_MAX_RANK_DEPTH components
    !> @param[in]  b         a rank, all DVM_MAX_RANK_DEPTH components
    !> @param[out] distance  the distance, without unit
    !> @retval DVM_SUCCESS              distance is written
    !> @retval DVM_ERR_RANK             a or b is the rank of no processing unit
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_rank_distance(a, b, distance) &
        bind(C, name="dvm_rank_distance") result(code)
      import
      integer(c_int64_t), intent(in) :: a(*)
      integer(c_int64_t), intent(in) :: b(*)
      integer(c_int64_t), intent(out) :: distance
      integer(c_int) :: code
    end function dvm_rank_distance

    !> @brief Make a datum of memory that exists. The bytes are not copied.
    !>
    !> The datum is published and has one reference. The memory belongs to libdvm until free_cb is called (or, without
    !> free_cb, until the last reference has gone). The caller may write to it until the datum is first scheduled.
    !>
    !> @param[in]  addr     the memory
    !> @param[in]  size     its size in bytes; 0 is legal
    !> @param[in]  free_cb  NULL, or what to call exactly once, as free_cb(addr, size), when the last reference of the
    !>                      datum, or of the last one that carries its storage on (dvm_data_next), has gone; it runs on
    !>                      any thread, with no lock of libdvm held, and may call what a task may call
    !> @param[out] id       the id of the new datum
    !> @retval DVM_SUCCESS              id is written
    !> @retval DVM_ERR_ARGUMENT         addr or id is NULL, or addr and size wrap around
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
    function dvm_data_register(addr, size, free_cb, id) &
        bind(C, name="dvm_data_register") result(code)
      import
      type(c_ptr), value :: addr
      integer(c_size_t), value :: size
      type(c_funptr), value :: free_cb
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function dvm_data_register

    !> @brief Make a datum of new memory, zeroed and aligned to 64 bytes.
    !>
    !> The datum is published and has one reference; its memory is freed after the last one has gone. It may be written,
    !> through dvm_data_get, until it is first scheduled.
    !>
    !> @param[in]  size  the size in bytes; 0 is legal
    !> @param[out] id    the id of the new datum
    !> @retval DVM_SUCCESS              id is written
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_MEMORY           there is not that much memory
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
    function dvm_data_allocate(size, id) &
        bind(C, name="dvm_data_allocate") result(code)
      import
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function dvm_data_allocate

    !> @brief Add a reference to a datum.
    !>
    !> Each task takes one reference of each of its inputs: a datum that n tasks read needs n - 1 acquires.
    !>
    !> @param[in] id  the datum
    !> @retval DVM_SUCCESS              the datum has one reference more
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_STATE            the datum ends with the task that reads it now, because that task carries its
    !>                                  storage on in place (dvm_data_next)
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
    function dvm_data_acquire(id) &
        bind(C, name="dvm_data_acquire") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_data_acquire

    !> @brief Drop a reference of a datum. When the last one goes, the datum is freed, or free_cb is called.
    !>
    !> @param[in] id  the datum
    !> @retval DVM_SUCCESS              the datum has one reference less; when it was the last one, the id is stale now
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_NO_REFERENCE     all references are taken by tasks that are already scheduled
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, data management.
    function dvm_data_relax(id) &
        bind(C, name="dvm_data_relax") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_data_relax

    !> @brief Address and size of a datum on the calling process.
    !>
    !> In a task the address is good until dvm_data_put or until the task ends; elsewhere until dvm_data_put. Gets nest.
    !> The bytes and free_cb wait for the last put. Outside tasks the call waits until the datum is published. A task
    !> reaches its own outputs at any time, and writes them here; everything else that is published is for reading, apart
    !> from registered and allocated data that were not scheduled yet.
    !>
    !> @param[in]  id    the datum
    !> @param[out] addr  the address of its bytes
    !> @param[out] size  their number
    !> @retval DVM_SUCCESS              addr and size are written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_NOT_READY        in a task or a free callback: the datum is not published yet; schedule a task on it
    !> @retval DVM_ERR_POISONED         the task that was to produce the datum has failed or was cancelled
    !> @retval DVM_ERR_STATE            the storage is being carried on in place by a task (dvm_data_next)
    !> @retval DVM_ERR_MEMORY           no memory for the bytes
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_data_get(id, addr, size) &
        bind(C, name="dvm_data_get") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      type(c_ptr), intent(out) :: addr
      integer(c_size_t), intent(out) :: size
      integer(c_int) :: code
    end function dvm_data_get

    !> @brief End one dvm_data_get.
    !>
    !> @param[in] id  the datum
    !> @retval DVM_SUCCESS              one get less
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_STATE            put without get: the task (or, outside tasks, the program) holds none
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_data_put(id) &
        bind(C, name="dvm_data_put") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_data_put

    !> @brief Make the id of a datum whose bytes do not exist yet.
    !>
    !> It starts with one reference. A task that reads it waits, taking no worker, until it is published. It has one
    !> producer: the task that it is an output of, or whoever calls dvm_data_write and then dvm_data_publish.
    !>
    !> @param[in]  size  the size in bytes; 0 is legal
    !> @param[out] id    the id of the new datum
    !> @retval DVM_SUCCESS              id is written
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_MEMORY           no machine has that much memory, or none is left for the bookkeeping
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_data_promise(size, id) &
        bind(C, name="dvm_data_promise") result(code)
      import
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function dvm_data_promise

    !> @brief Become the producer of a promise by hand: address and size of the memory to write, zeroed.
    !>
    !> It ends with dvm_data_publish, after which the bytes do not change any more. The memory stays until then, also
    !> when the last reference goes.
    !>
    !> @param[in]  id    the promise
    !> @param[out] addr  the address of its bytes
    !> @param[out] size  their number
    !> @retval DVM_SUCCESS              addr and size are written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_STATE            it is published, or has a producer, or carries on another datum (dvm_data_next)
    !> @retval DVM_ERR_POISONED         it was poisoned
    !> @retval DVM_ERR_MEMORY           no memory for the bytes
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_data_write(id, addr, size) &
        bind(C, name="dvm_data_write") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      type(c_ptr), intent(out) :: addr
      integer(c_size_t), intent(out) :: size
      integer(c_int) :: code
    end function dvm_data_write

    !> @brief Publish a promise: its bytes exist now, and tasks that wait for it can run.
    !>
    !> A promise that nobody has written is published as zeros. The output of a task is published when the task ends with
    !> 0; the task itself may publish it earlier.
    !>
    !> @param[in] id  the promise
    !> @retval DVM_SUCCESS              the datum is published
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_STATE            it is published already, or it is the output of another task, or it carries on
    !>                                  another datum (dvm_data_next) and the caller is not the task that it is an output of
    !> @retval DVM_ERR_POISONED         it was poisoned
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_data_publish(id) &
        bind(C, name="dvm_data_publish") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_data_publish

    !> @brief Make a promise that carries on the storage of a datum: in-place update with single-assignment meaning.
    !>
    !> The new promise has the size of the current datum, starts with one reference and takes none of the current one. It
    !> can only be the output of a task that also reads the current datum. When that task starts, holds the current
    !> datum's last references, and nobody holds a get of it, the new datum is the same memory and nothing is copied; the
    !> current datum then ends with the task. Otherwise the new datum begins as a copy, aligned to 64 bytes.
    !>
    !> @param[in]  current  a datum, published or not
    !> @param[out] next     the id of the new promise
    !> @retval DVM_SUCCESS              next is written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_ID               the current datum is unknown or has been freed
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_data_next(current, next) &
        bind(C, name="dvm_data_next") result(code)
      import
      integer(c_int64_t), intent(in) :: current(2)
      integer(c_int64_t), intent(out) :: next(2)
      integer(c_int) :: code
    end function dvm_data_next

    function c_dvm_processing_register(callback, number_of_args, description, id) &
        bind(C, name="dvm_processing_register") result(code)
      import
      type(c_funptr), value :: callback
      integer(c_int), value :: number_of_args
      character(kind=c_char), intent(in) :: description(*)
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function c_dvm_processing_register

    function c_dvm_processing_register_by_name(function_name, number_of_data_args, id) &
        bind(C, name="dvm_processing_register_by_name") result(code)
      import
      character(kind=c_char), intent(in) :: function_name(*)
      integer(c_int), value :: number_of_data_args
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function c_dvm_processing_register_by_name

    function c_dvm_processing_register_v(callback, context, number_of_args, description, id) &
        bind(C, name="dvm_processing_register_v") result(code)
      import
      type(c_funptr), value :: callback
      type(c_ptr), value :: context
      integer(c_int), value :: number_of_args
      character(kind=c_char), intent(in) :: description(*)
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function c_dvm_processing_register_v

    !> @brief Say which arguments of a processing its tasks read and which they produce.
    !>
    !> Before the first task of the processing. Without this call all arguments are inputs.
    !>
    !> @param[in] id     the processing
    !> @param[in] modes  one of DVM_IN and DVM_OUT for each of its arguments
    !> @retval DVM_SUCCESS              the modes are set
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, or a mode is unknown
    !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
    !> @retval DVM_ERR_STATE            a task of this processing was scheduled already
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_processing_access(id, modes) &
        bind(C, name="dvm_processing_access") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int), intent(in) :: modes(*)
      integer(c_int) :: code
    end function dvm_processing_access

    !> @brief Forget a processing. Tasks that were scheduled with it still run; no new ones can be.
    !>
    !> @param[in] id  the address of the processing's id; the id itself is not changed
    !> @retval DVM_SUCCESS              the id is stale now
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, processing.
    function dvm_processing_unregister(id) &
        bind(C, name="dvm_processing_unregister") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_processing_unregister

    function c_dvm_sched_onto_v(rank, processing, ids, count) &
        bind(C, name="dvm_sched_onto_v") result(code)
      import
      integer(c_int64_t), intent(in) :: rank(*)
      integer(c_int64_t), intent(in) :: processing(2)
      integer(c_int64_t), intent(in) :: ids(2, *)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function c_dvm_sched_onto_v

    function c_dvm_sched_near(processing, ids, count) &
        bind(C, name="dvm_sched_near") result(code)
      import
      integer(c_int64_t), intent(in) :: processing(2)
      integer(c_int64_t), intent(in) :: ids(2, *)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function c_dvm_sched_near

    !> @brief The number of tasks of a processing unit that were scheduled and have not ended.
    !>
    !> Tasks that are to run near data which are not all published belong to no processing unit yet.
    !>
    !> @param[in]  rank  a rank, all DVM_MAX_RANK_DEPTH components
    !> @param[out] load  the number of tasks
    !> @retval DVM_SUCCESS              load is written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_RANK             no processing unit has this rank
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: report, section 4.2.4, scheduling.
    function dvm_sched_load(rank, load) &
        bind(C, name="dvm_sched_load") result(code)
      import
      integer(c_int64_t), intent(in) :: rank(*)
      integer(c_int64_t), intent(out) :: load
      integer(c_int) :: code
    end function dvm_sched_load

    !> @brief Say that this task is about to wait for something outside libdvm: a message, a file, a lock.
    !>
    !> Until dvm_blocking_end another thread runs tasks on this processing unit in its place: a spare one, or a new one.
    !> There is no limit to the number of tasks that block at once but the system's for threads. All other calls stay
    !> allowed, and do what they do in a task. A section that the task leaves open ends with the task. In a tile that runs
    !> on the program's own thread the call succeeds and does nothing.
    !>
    !> @retval DVM_SUCCESS              the section has begun
    !> @retval DVM_ERR_STATE            not called in a task or tile, or the task is in a section already
    !> @retval DVM_ERR_MEMORY           no thread could be started; the task may block all the same, and holds its processing
    !>                                  unit meanwhile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any task, on the thread that libdvm called it on. Source: added to the report's interface.
    function dvm_blocking_begin() &
        bind(C, name="dvm_blocking_begin") result(code)
      import
      integer(c_int) :: code
    end function dvm_blocking_begin

    !> @brief Say that this task has waited, and goes on computing.
    !>
    !> The call returns when the task that runs in its place has ended: a processing unit runs one task at a time. A task of
    !> several cores gets them again, too.
    !>
    !> @retval DVM_SUCCESS              the section has ended
    !> @retval DVM_ERR_STATE            not called in a task or tile, or the task is in no section
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any task, on the thread that libdvm called it on. Source: added to the report's interface.
    function dvm_blocking_end() &
        bind(C, name="dvm_blocking_end") result(code)
      import
      integer(c_int) :: code
    end function dvm_blocking_end

    !> @brief Say how many processing units each task of a processing needs for itself: the one that it runs on, and its
    !> nearest neighbours.
    !>
    !> Before the first task of the processing. The neighbours have ended their tasks before the callback starts, and start
    !> no others until it has ended; when there are fewer, all of them stand still. Meanwhile the callback's thread may run
    !> on the processing units of all workers, and so may threads that it starts, of OpenMP for instance; how many it starts
    !> is for the callback to say. Such tasks are served in the order in which they get to run. In a blocking section the
    !> task has no processing unit at all.
    !>
    !> @param[in] id     the processing
    !> @param[in] cores  how many, from 1
    !> @retval DVM_SUCCESS              the number is set
    !> @retval DVM_ERR_ARGUMENT         id is NULL, or cores is below 1
    !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
    !> @retval DVM_ERR_STATE            a task of this processing was scheduled already
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_processing_cores(id, cores) &
        bind(C, name="dvm_processing_cores") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int), value :: cores
      integer(c_int) :: code
    end function dvm_processing_cores

    !> @brief Start libdvm when it is not running yet: for generated code in programs that do not call dvm_init.
    !>
    !> What it has started ends when the program exits. A later dvm_init takes over: it succeeds, and the program then
    !> calls dvm_finalize as usual. When libdvm runs already, nothing happens.
    !>
    !> @retval DVM_SUCCESS          libdvm is running
    !> @retval DVM_ERR_ARGUMENT     an environment variable of libdvm has a value that is not understood
    !> @retval DVM_ERR_MEMORY       the threads could not be started
    !> @retval DVM_ERR_UNSUPPORTED  the machine's topology cannot be read, or this process was forked while libdvm ran
    !>
    !> Thread safety: any thread, any time, several at once. Source: added to the report's interface.
    function dvm_graph_start() &
        bind(C, name="dvm_graph_start") result(code)
      import
      integer(c_int) :: code
    end function dvm_graph_start

    !> @brief Run a graph; returns when all of its tiles have run.
    !>
    !> Several threads may run graphs at the same time, also beside tasks: the workers share themselves out. The calling
    !> thread sleeps meanwhile; only a graph of a single tile runs on the calling thread itself.
    !>
    !> @param[in] graph  the graph; it and all that it points to must stay as they are until the call returns
    !> @retval DVM_SUCCESS              every tile has run
    !> @retval DVM_ERR_ARGUMENT         graph or its run is NULL, a bound array is missing, the dimension is out of range,
    !>                                  size is not that of this version, one of predecessors and successors is missing,
    !>                                  or the box has more than 2^63 - 2 points: nothing has run. Or a successor lies
    !>                                  outside the box
    !> @retval DVM_ERR_TASK             a tile failed: the tiles after it have not run, others may have
    !> @retval DVM_ERR_STATE            tiles are left over whose predecessors never ran, or predecessors and successors do
    !>                                  not agree
    !> @retval DVM_ERR_IN_TASK          called inside a task or a tile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread that is no worker, several at once. Source: added, for the report's section 5.6.
    function dvm_graph_run(graph) &
        bind(C, name="dvm_graph_run") result(code)
      import
      type(dvm_graph_t), intent(in) :: graph
      integer(c_int) :: code
    end function dvm_graph_run

    function c_dvm_graph_sizes(name, dimension, extent, carried, footprint, context, sizes) &
        bind(C, name="dvm_graph_sizes") result(code)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: dimension
      integer(c_int64_t), intent(in) :: extent(*)
      integer(c_int), intent(in) :: carried(*)
      type(c_funptr), value :: footprint
      type(c_ptr), value :: context
      integer(c_int64_t), intent(inout) :: sizes(*)
      integer(c_int) :: code
    end function c_dvm_graph_sizes

    !> @brief Print on stderr what waits for what.
    !>
    !> Each task that waits is named with its processing's description, its arguments and its place, with the datum that it
    !> misses and with who was to publish that: a task, the program by hand, or nobody. Cycles are found. Threads that sleep in
    !> dvm_data_get are counted with the datum that they wait for. Of graphs that run, the tiles that run and that wait are
    !> told, with the predecessors that they miss. Long lists are cut and counted. Workers go on meanwhile.
    !>
    !> The environment variables DVM_WATCHDOG and DVM_EXPLAIN_SIGNAL have libdvm do this by itself.
    !>
    !> @retval DVM_SUCCESS              it is printed
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task; not in a signal's handler. Source: added to the report's interface.
    function dvm_explain() &
        bind(C, name="dvm_explain") result(code)
      import
      integer(c_int) :: code
    end function dvm_explain

    !> @brief The text that dvm_explain prints, in the caller's memory.
    !>
    !> The text ends with a NUL. A text that does not fit is cut, and needed says so: it is then greater than size. What
    !> waits may change between two calls, and the text's size with it.
    !>
    !> @param[out] buffer  where the text goes, size bytes; may be NULL when size is 0
    !> @param[in]  size    its size in bytes; 0 asks for the size that is needed
    !> @param[out] needed  the bytes of the whole text, with its NUL
    !> @retval DVM_SUCCESS              buffer and needed are written
    !> @retval DVM_ERR_ARGUMENT         needed is NULL, or buffer is NULL and size is not 0
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task; not in a signal's handler. Source: added to the report's interface.
    function dvm_explain_text(buffer, size, needed) &
        bind(C, name="dvm_explain_text") result(code)
      import
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: needed
      integer(c_int) :: code
    end function dvm_explain_text

    function c_dvm_strerror(code) &
        bind(C, name="dvm_strerror") result(address)
      import
      integer(c_int), value :: code
      type(c_ptr) :: address
    end function c_dvm_strerror

    function c_dvm_last_error() &
        bind(C, name="dvm_last_error") result(address)
      import
      type(c_ptr) :: address
    end function c_dvm_last_error
  end interface

contains

  !> The Fortran text of a C text.
  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, i
    interface
      pure function c_strlen(text) bind(C, name="strlen") result(length)
        import
        type(c_ptr), value, intent(in) :: text
        integer(c_size_t) :: length
      end function c_strlen
    end interface
    length = int(c_strlen(address))
    call c_f_pointer(address, letters, [length])
    allocate (character(len=length) :: text)
    do i = 1, length
      text(i:i) = letters(i)
    end do
  end function text_of

  !> @brief Register a function, so that tasks can run it.
  !>
  !> The function is called with exactly number_of_args arguments, each a dvm_data_id_t (a pointer to two numbers that
  !> is good until the task ends), and returns an int: 0 for success; anything else fails the task and poisons its
  !> outputs. It is called by the worker threads, several at a time. All arguments are inputs, unless
  !> dvm_processing_access says otherwise.
  !>
  !> @param[in]  callback        the function; in C++ and C23 cast it with DVM_CALLBACK
  !> @param[in]  number_of_args  0 to DVM_MAX_PLAIN_ARGUMENTS
  !> @param[in]  description     a short description for messages, copied; may be NULL
  !> @param[out] id              the id of the new processing
  !> @retval DVM_SUCCESS              id is written
  !> @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is out of range
  !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Thread safety: any thread, any task. Source: report, section 4.2.4, processing.
  function dvm_processing_register(callback, number_of_args, description, id) result(code)
    type(c_funptr), value :: callback
    integer(c_int), value :: number_of_args
    character(len=*), intent(in), optional :: description
    integer(c_int64_t), intent(out) :: id(2)
    integer(c_int) :: code
    if (present(description)) then
      code = c_dvm_processing_register(callback, number_of_args, description//c_null_char, id)
    else
      code = c_dvm_processing_register(callback, number_of_args, [c_null_char], id)
    end if
  end function dvm_processing_register

  !> @brief Register a function by its name, which is looked up in the whole running program.
  !>
  !> As dvm_processing_register otherwise; the name serves as description.
  !>
  !> @param[in]  function_name        the name of the symbol; a function of the program itself is only found when the
  !>                                  program is linked with -rdynamic (CMake: ENABLE_EXPORTS)
  !> @param[in]  number_of_data_args  0 to DVM_MAX_PLAIN_ARGUMENTS
  !> @param[out] id                   the id of the new processing
  !> @retval DVM_SUCCESS              id is written
  !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, or number_of_data_args is out of range
  !> @retval DVM_ERR_SYMBOL           the running program has no such dynamic symbol
  !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Thread safety: any thread, any task. Source: report, section 4.2.4, processing.
  function dvm_processing_register_by_name(function_name, number_of_data_args, id) result(code)
    character(len=*), intent(in) :: function_name
    integer(c_int), value :: number_of_data_args
    integer(c_int64_t), intent(out) :: id(2)
    integer(c_int) :: code
    code = c_dvm_processing_register_by_name(function_name//c_null_char, number_of_data_args, id)
  end function dvm_processing_register_by_name

  !> @brief Register a function that takes a context, an array of ids and their number: for any number of arguments.
  !>
  !> As dvm_processing_register otherwise.
  !>
  !> @param[in]  callback        called as callback(context, ids, count); ids has count entries and is good until the
  !>                             task ends
  !> @param[in]  context         handed to the callback as it is, may be NULL; libdvm keeps the pointer until the
  !>                             processing is unregistered and its last task has ended; an address of this process
  !> @param[in]  number_of_args  0 or more
  !> @param[in]  description     a short description for messages, copied; may be NULL
  !> @param[out] id              the id of the new processing
  !> @retval DVM_SUCCESS              id is written
  !> @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is negative
  !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Thread safety: any thread, any task. Source: added to the report's interface.
  function dvm_processing_register_v(callback, context, number_of_args, description, id) result(code)
    type(c_funptr), value :: callback
    type(c_ptr), value :: context
    integer(c_int), value :: number_of_args
    character(len=*), intent(in), optional :: description
    integer(c_int64_t), intent(out) :: id(2)
    integer(c_int) :: code
    if (present(description)) then
      code = c_dvm_processing_register_v(callback, context, number_of_args, description//c_null_char, id)
    else
      code = c_dvm_processing_register_v(callback, context, number_of_args, [c_null_char], id)
    end if
  end function dvm_processing_register_v

  !> @brief Run a processing on its data, on the processing unit with this rank: dvm_sched_onto with an array of ids.
  !>
  !> @param[in] rank      a rank, all DVM_MAX_RANK_DEPTH components
  !> @param[in] processing the processing
  !> @param[in] ids       the ids of its data, count entries; may be NULL when count is 0
  !> @retval DVM_SUCCESS              the task is scheduled
  !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
  !> @retval DVM_ERR_RANK             no processing unit has this rank
  !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
  !> @retval DVM_ERR_ID               a datum is unknown or has been freed
  !> @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
  !> @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
  !>                                  datum (dvm_data_next) that is no input
  !> @retval DVM_ERR_POISONED         an output was poisoned
  !> @retval DVM_ERR_MEMORY           no memory for the task
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Thread safety: any thread, any task. Source: added to the report's interface.
  function dvm_sched_onto(rank, processing, ids) result(code)
    integer(c_int64_t), intent(in) :: rank(DVM_MAX_RANK_DEPTH)
    integer(c_int64_t), intent(in) :: processing(2)
    integer(c_int64_t), intent(in), contiguous, optional :: ids(:, :)
    integer(c_int) :: code
    if (present(ids)) then
      code = c_dvm_sched_onto_v(rank, processing, ids, size(ids, 2, kind=c_int))
    else
      code = c_dvm_sched_onto_v(rank, processing, reshape([integer(c_int64_t) ::], [2, 0]), 0_c_int)
    end if
  end function dvm_sched_onto

  !> @brief Run a processing near its data.
  !>
  !> The processing unit is the one that holds most of the input bytes; when they are spread, the one closest to their
  !> weighted barycentre. It is chosen when the inputs are published. Idle processing units may steal the task, nearest
  !> first. Otherwise as dvm_sched_onto_v.
  !>
  !> @param[in] processing the processing
  !> @param[in] ids       the ids of its data, count entries; may be NULL when count is 0
  !> @retval DVM_SUCCESS              the task is scheduled
  !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
  !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
  !> @retval DVM_ERR_ID               a datum is unknown or has been freed
  !> @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
  !> @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
  !>                                  datum (dvm_data_next) that is no input
  !> @retval DVM_ERR_POISONED         an output was poisoned
  !> @retval DVM_ERR_MEMORY           no memory for the task
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Thread safety: any thread, any task. Source: added to the report's interface, after its section 5.5.
  function dvm_sched_near(processing, ids) result(code)
    integer(c_int64_t), intent(in) :: processing(2)
    integer(c_int64_t), intent(in), contiguous, optional :: ids(:, :)
    integer(c_int) :: code
    if (present(ids)) then
      code = c_dvm_sched_near(processing, ids, size(ids, 2, kind=c_int))
    else
      code = c_dvm_sched_near(processing, reshape([integer(c_int64_t) ::], [2, 0]), 0_c_int)
    end if
  end function dvm_sched_near

  !> @brief Choose tile sizes for a permutable band, one per coordinate.
  !>
  !> A size that is positive on entry stays (the pragma's tile(...)). The others come from the environment variable
  !> DVM_TILE where it names that coordinate, else from a model of the machine's caches: the tile grows, always where its
  !> footprint grows least for its work, as long as it fits its worker's share of the cache and leaves enough tiles for all
  !> workers.
  !>
  !> @param[in]     name       the region's name, for messages; may be NULL
  !> @param[in]     dimension  the number of coordinates, 0 to DVM_GRAPH_MAX_DIMENSION
  !> @param[in]     extent     the number of values of each coordinate of the band, dimension values; not positive: none
  !> @param[in]     carried    dimension flags as in dvm_graph_t, or NULL
  !> @param[in]     footprint  bytes that a tile of the given sizes touches; may be NULL: eight bytes per point
  !> @param[in]     context    the first argument of footprint
  !> @param[in,out] sizes      dimension sizes, 0 where one is wanted; all are positive on success
  !> @retval DVM_SUCCESS              sizes is written
  !> @retval DVM_ERR_ARGUMENT         dimension is out of range, extent or sizes is NULL with a dimension above 0, or a
  !>                                  size is negative
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Thread safety: any thread, any time, several at once. Source: added to the report's interface.
  function dvm_graph_sizes(name, dimension, extent, carried, footprint, context, sizes) result(code)
    character(len=*), intent(in) :: name
    integer(c_int), value :: dimension
    integer(c_int64_t), intent(in) :: extent(*)
    integer(c_int), intent(in) :: carried(*)
    type(c_funptr), value :: footprint
    type(c_ptr), value :: context
    integer(c_int64_t), intent(inout) :: sizes(*)
    integer(c_int) :: code
    code = c_dvm_graph_sizes(name//c_null_char, dimension, extent, carried, footprint, context, sizes)
  end function dvm_graph_sizes

  !> @brief The meaning of a code, in words.
  !>
  !> @param[in] code  any number; one that is no code gets a text that says so
  !> @return a text that lives as long as the program, never NULL; the caller does not free it
  !>
  !> Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
  !> Source: added to the report's interface.
  function dvm_strerror(code) result(text)
    integer(c_int), value :: code
    character(len=:), allocatable :: text
    text = text_of(c_dvm_strerror(code))
  end function dvm_strerror

  !> @brief The story of the calling thread's last failing call: what, where, why and what to do.
  !>
  !> Calls that succeed leave it as it is.
  !>
  !> @return a text that is valid until the calling thread's next failing call, never NULL, empty when no call of
  !>         this thread has failed; the caller does not free it
  !>
  !> Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize; each thread sees its own.
  !> Source: added to the report's interface.
  function dvm_last_error() result(text)
    character(len=:), allocatable :: text
    text = text_of(c_dvm_last_error())
  end function dvm_last_error
end module dvm
