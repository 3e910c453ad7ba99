! libdvm for Fortran: every core of every process as one machine of processing units.
!
! Generated from the Rust sources by `DVM_BLESS=1 cargo test -p dvm-bindings`; do not edit.
!
! Every function of dvm.h is here under its name; its comment is that of the C header. What differs:
!
!  - An id is an array of two integers, a list of ids is an array (2, n), a rank has DVM_MAX_RANK_DEPTH integers. C's unsigned
!    64-bit numbers are integer(c_int64_t).
!  - A handle (of a distribution, a plan, a copy engine) is a derived type of one number.
!  - A procedure that is run as a task is an `integer(c_int) function ... bind(C)`; c_funloc(name) names it. With
!    dvm_processing_register its arguments are its ids, each `integer(c_int64_t), intent(in) :: id(2)`; with
!    dvm_processing_register_v they are (context, ids, count): `type(c_ptr), value`, `ids(2, *)`, `integer(c_int), value`.
!  - c_loc(x) is the address of a variable x with the target attribute; c_f_pointer makes an array of an address.
!  - Fortran tells no capitals apart: where a constant of dvm.h has a function's name (DVM_VERSION), only the function is here.
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

  !> The datum (or distribution, plan, copy engine) is unknown: its id was never given, or it has been freed.
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

  !> Access mode of an argument: the task reads it, and takes over one of the caller's references. The default.
  integer(c_int), parameter, public :: DVM_IN = 0

  !> Access mode of an argument: the task produces it.
  integer(c_int), parameter, public :: DVM_OUT = 1

  !> Access mode of an argument: the task reads it, and takes a reference of its own. The caller keeps its references, so that
  !> a datum may be given to many tasks without dvm_data_acquire.
  integer(c_int), parameter, public :: DVM_READ = 2

  !> Access mode of an argument: the task updates it. The call that schedules the task makes the next version as
  !> dvm_data_next does, and writes its id where it has read the argument's, before the task can begin: from then on the
  !> caller's variable names the datum as it is after the task, with the one reference that the caller gave for it. The
  !> function gets that id alone, and dvm_data_get gives it the bytes, which it may read and write. If nobody else refers
  !> to the old version, nothing is copied; another argument that is the same datum has the old bytes. If the call fails,
  !> the id stays as it was.
  integer(c_int), parameter, public :: DVM_INOUT = 3

  !> The first number of this header's version: another one changes or removes what was there.
  integer(c_int), parameter, public :: DVM_VERSION_MAJOR = 0

  !> The second number of this header's version: a higher one adds. Before 1.0 it may also change what was there.
  integer(c_int), parameter, public :: DVM_VERSION_MINOR = 1

  !> The third number of this header's version: a higher one corrects defects.
  integer(c_int), parameter, public :: DVM_VERSION_PATCH = 0

  !> The greatest number of coordinates of a tile.
  integer(c_int), parameter, public :: DVM_GRAPH_MAX_DIMENSION = 16

  !> The number of powers of two of the work that a region tells apart.
  integer(c_int), parameter, public :: DVM_REGION_CLASSES = 64

  !> The tiles of a phase are no box: blocks of them may be different amounts of work.
  integer(c_int), parameter, public :: DVM_ACROSS_NO_BOX = 1

  !> Values go from a tile to near ones only, along the first coordinate that tiles are dealt out along.
  integer(c_int), parameter, public :: DVM_ACROSS_NEAR = 2

  !> The program's text names the array itself, at file scope, not a pointer to it.
  integer(c_int), parameter, public :: DVM_ACROSS_NAMED = 1

  !> Where process 0 alone runs main, the array may stay on the processes after the region, until main touches it.
  integer(c_int), parameter, public :: DVM_ACROSS_KEEP = 2

  !> The same until the loop of regions ends that this thread runs (dvm_across_loop), unless DVM_KEEP=0.
  integer(c_int), parameter, public :: DVM_ACROSS_KEEP_IN_LOOP = 4

  !> The greatest number of dimensions of an array that is distributed.
  integer(c_int), parameter, public :: DVM_DISTRIBUTION_MAX_DIMENSION = 16

  !> Any memory of a distribution, for dvm_distribution_set_strides.
  integer(c_int), parameter, public :: DVM_DISTRIBUTION_EVERY_MEMORY = -1

  !> The processes of a grid are counted row by row: BLACS's order 'Row'.
  integer(c_int), parameter, public :: DVM_GRID_BY_ROWS = 0

  !> The processes of a grid are counted column by column: BLACS's order 'Col'.
  integer(c_int), parameter, public :: DVM_GRID_BY_COLUMNS = 1

  !> Spread the sending over replicas so that the largest load of a source memory is least; without it, as few strided
  !> copies as possible.
  integer(c_int), parameter, public :: DVM_REDISTRIBUTION_BALANCE = 1

  !> The memories lie in several processes, and all processes of the job make the plan together.
  integer(c_int), parameter, public :: DVM_REDISTRIBUTION_COLLECTIVE = 2

  integer(c_int), parameter, public :: DVMSUCCESS = DVM_SUCCESS

  !> A task graph that is described by functions of integer coordinates and never held as a whole (the report's
  !> sections 4.2.4 and 5.6 name the cost of unfolding one): a tile becomes a task when its first input arrives.
  !>
  !> The tiles are the integer points of the box `lower ..= upper`. Edges are given in one of two ways:
  !>
  !> * by `carried`, with `predecessors` and `successors` both NULL: tile T waits for T - e_k for each coordinate k with
  !>   `carried[k]` set for which that is in the box. In a permutable band these edges order all dependences.
  !> * by `predecessors` and `successors`, both given and in agreement; `carried` is not read then.
  !>
  !> With `carried`, `bounds` may leave out points of the box: the graph then spends no time on them. A dependence must be
  !> able to go from tile to tile in unit steps along the carried coordinates, so points without work may have to stay:
  !> for them `exists` is 0, nothing runs, and the tiles after them wait as usual.
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
    !> Number of predecessors of a tile; negative: this point of the box is not a tile. NULL: by `carried`. It only
    !> counts: it may not begin a blocking section.
    type(c_funptr) :: predecessors = c_null_funptr
    !> Calls `visit(visitor, T)` once for each successor T of a tile. NULL: by `carried`.
    type(c_funptr) :: successors = c_null_funptr
    !> First argument of the functions.
    type(c_ptr) :: context = c_null_ptr
    !> Narrows `ends`, the least and the greatest value of a coordinate, for the values of the coordinates before it in
    !> `tile`; it is called with the ends of the box, for coordinates from 1 on. Equal arguments, equal answers. NULL:
    !> the graph has all points of the box. Not together with `predecessors`.
    type(c_funptr) :: bounds = c_null_funptr
    !> Zero: nothing is to run at this point. NULL: all points run. Not together with `predecessors`.
    type(c_funptr) :: exists = c_null_funptr
  end type dvm_graph_t

  !> What generated code keeps of a region, or of one of its phases, in static memory: the names are constant, the rest is
  !> zero at first and belongs to libdvm.
  type, bind(C), public :: dvm_region_t
    !> `sizeof(dvm_region_t)`: later versions append fields.
    integer(c_size_t) :: size = 0
    !> Name for messages.
    type(c_ptr) :: name = c_null_ptr
    !> The line in the source.
    integer(c_int64_t) :: line = 0
    !> The phase's number; -1: the record is the region's.
    integer(c_int64_t) :: phase = 0
    !> Libdvm's number for the record; 0: none yet.
    integer(c_int64_t) :: number = 0
    !> By the power of two of the work: so many entries run the original loops without asking. Who enters counts down.
    integer(c_int) :: unasked(DVM_REGION_CLASSES) = 0
  end type dvm_region_t

  !> An entry into a region or a phase.
  type, bind(C), public :: dvm_region_entry_t
    !> 0: the original loops, or one tile. 1: the phases, or several tiles.
    integer(c_int64_t) :: way = 0
    !> The power of two of the work.
    integer(c_int64_t) :: work = 0
    !> When it began, if `dvm_region_leave` is to be called; else 0.
    integer(c_int64_t) :: begun = 0
  end type dvm_region_entry_t

  !> A flow between the instances of a region: elements that one phase writes and another one reads. A box of instances has
  !> the values of the phase's host loops and the coordinates of its band, from `first` up to, and without, `end`.
  type, bind(C), public :: dvm_across_flow_t
    !> The phase that writes; -1: what was there before the region.
    integer(c_int) :: from = 0
    !> The phase that reads; -1: what comes after the region.
    integer(c_int) :: to = 0
    !> Visits the rows that instances of the first box write and instances of the second box read (after the region: all
    !> that the first box leaves behind; before it: all that the second box finds there).
    type(c_funptr) :: rows = c_null_funptr
  end type dvm_across_flow_t

  !> How the tiles of a phase are best dealt out.
  type, bind(C), public :: dvm_across_phase_t
    !> The number of coordinates in `places`.
    integer(c_int) :: places_count = 0
    !> Coordinates of the band, the best to deal along first.
    type(c_ptr) :: places = c_null_ptr
    !> DVM_ACROSS_NO_BOX, DVM_ACROSS_NEAR, or both.
    integer(c_int) :: flags = 0
  end type dvm_across_phase_t

  !> An array of a region.
  type, bind(C), public :: dvm_across_array_t
    !> Its first element.
    type(c_ptr) :: base = c_null_ptr
    !> The bytes of an element.
    integer(c_size_t) :: element = 0
    !> The first byte that the region touches, counted from the base.
    integer(c_int64_t) :: begin = 0
    !> One beyond the last one.
    integer(c_int64_t) :: end = 0
    !> Any of DVM_ACROSS_NAMED, DVM_ACROSS_KEEP and DVM_ACROSS_KEEP_IN_LOOP, or 0.
    integer(c_int) :: named = 0
  end type dvm_across_array_t

  !> A number in a region's context.
  type, bind(C), public :: dvm_across_member_t
    !> Where it begins.
    integer(c_size_t) :: at = 0
    !> Its bytes.
    integer(c_size_t) :: bytes = 0
  end type dvm_across_member_t

  !> A region that can run on several processes: constant, in static memory.
  type, bind(C), public :: dvm_across_t
    !> `sizeof(dvm_across_t)`: later versions append fields.
    integer(c_size_t) :: size = 0
    !> Name for messages.
    type(c_ptr) :: name = c_null_ptr
    !> The numbers of flows, phases and arrays.
    integer(c_int) :: flows_count = 0
    !> See `flows_count`.
    integer(c_int) :: phases_count = 0
    !> See `flows_count`.
    integer(c_int) :: arrays_count = 0
    !> The flows.
    type(c_ptr) :: flows = c_null_ptr
    !> The phases.
    type(c_ptr) :: phases = c_null_ptr
    !> Runs the loops around the region's graphs, and gives each of them to dvm_across_sizes and dvm_across_graph, with
    !> the same `call`. It is called twice, and runs equal graphs both times; the first time only to learn them.
    type(c_funptr) :: body = c_null_funptr
    !> The bytes of the context; with what follows only for regions that processes can serve, else 0.
    integer(c_size_t) :: context = 0
    !> The number of entries in `members`.
    integer(c_int) :: members_count = 0
    !> The numbers in the context: all that it needs but pointers to arrays.
    type(c_ptr) :: members = c_null_ptr
    !> In a process that serves: has the context's pointers, and those at file scope, lead to these bases, one for each
    !> array; instead, writes into the list where an array is that is named.
    type(c_funptr) :: places = c_null_funptr
    !> How many steps a tile runs ahead of the processes that it sends to; 0: DVM_REGION_STEPS.
    integer(c_int) :: buffers = 0
    !> How many steps a message leaves before its reader's, less than `buffers`; -1: at once.
    integer(c_int) :: ahead = 0
    !> Of a region without the clause `across`, which runs on all processes only where that pays: libdvm writes 1 there when
    !> processes serve, and 0 if they cannot serve it. NULL: the region has the clause.
    type(c_ptr) :: offered = c_null_ptr
    !> Of such a region: about the number of iterations.
    type(c_funptr) :: work = c_null_funptr
    !> Of such a region: the record of what is learnt of it.
    type(c_ptr) :: record = c_null_ptr
  end type dvm_across_t

  !> A distribution, by handle. Distributions and plans may be made, asked and freed at any time, also while libdvm is not
  !> running.
  type, bind(C), public :: dvm_distribution_t
    !> A number that is never given twice; 0 is never given.
    integer(c_int64_t) :: number = 0
  end type dvm_distribution_t

  !> A planned redistribution, by handle.
  type, bind(C), public :: dvm_redistribution_t
    !> A number that is never given twice; 0 is never given.
    integer(c_int64_t) :: number = 0
  end type dvm_redistribution_t

  !> The costs of a redistribution, and lower bounds for them.
  type, bind(C), public :: dvm_redistribution_figures_t
    !> `sizeof(dvm_redistribution_figures_t)`, set by the caller: later versions append fields.
    integer(c_size_t) :: size = 0
    !> The memories of the source distribution.
    integer(c_int64_t) :: source_memories = 0
    !> The memories of the target distribution.
    integer(c_int64_t) :: target_memories = 0
    !> Elements copied: the places of the target whose element the source has, which is also the least possible.
    integer(c_int64_t) :: elements = 0
    !> The same in bytes.
    integer(c_int64_t) :: bytes = 0
    !> Places of the target whose element the source does not have; they stay as they are.
    integer(c_int64_t) :: missing = 0
    !> Pairs of memories that exchange something.
    integer(c_int64_t) :: messages = 0
    !> The bytes of the largest of them.
    integer(c_int64_t) :: largest_message = 0
    !> Strided copies (dvm_redistribution_descriptor); at least as many as messages.
    integer(c_int64_t) :: descriptors = 0
    !> The bytes that the busiest source memory sends.
    integer(c_int64_t) :: largest_load = 0
    !> The least possible value of it when the plan was balanced, else 0.
    integer(c_int64_t) :: least_load = 0
  end type dvm_redistribution_figures_t

  !> An engine of strided copies, by handle.
  type, bind(C), public :: dvm_dma_t
    !> A number that is never given twice; 0 is never given.
    integer(c_int64_t) :: number = 0
  end type dvm_dma_t

  public :: dvm_version
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
  public :: dvm_data_name
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
  public :: dvm_region_enter
  public :: dvm_region_waits
  public :: dvm_region_leave
  public :: dvm_region_sizes
  public :: dvm_region_run
  public :: dvm_across_begins
  public :: dvm_across_run
  public :: dvm_across_loop
  public :: dvm_across_known
  public :: dvm_across_serve
  public :: dvm_across_sizes
  public :: dvm_across_graph
  public :: dvm_explain
  public :: dvm_explain_text
  public :: dvm_distribution_parse
  public :: dvm_distribution_make
  public :: dvm_distribution_block_cyclic
  public :: dvm_distribution_halo
  public :: dvm_distribution_scalapack
  public :: dvm_distribution_scalapack_64
  public :: dvm_distribution_set_order
  public :: dvm_distribution_set_strides
  public :: dvm_distribution_set_processes
  public :: dvm_distribution_set_grid
  public :: dvm_distribution_memories
  public :: dvm_distribution_size
  public :: dvm_distribution_extents
  public :: dvm_distribution_strides
  public :: dvm_distribution_free
  public :: dvm_redistribution_plan
  public :: dvm_redistribution_figures
  public :: dvm_redistribution_message
  public :: dvm_redistribution_descriptor
  public :: dvm_redistribute
  public :: dvm_redistribute_start
  public :: dvm_redistribution_received
  public :: dvm_redistribution_free
  public :: dvm_dma_open
  public :: dvm_dma_open_over
  public :: dvm_dma_send
  public :: dvm_dma_send_2d
  public :: dvm_dma_send_3d
  public :: dvm_dma_receive
  public :: dvm_dma_receive_2d
  public :: dvm_dma_receive_3d
  public :: dvm_dma_wait
  public :: dvm_dma_close
  public :: dvm_strerror
  public :: dvm_last_error

  interface

    ! ----- The version -----

    !> @brief The version of the library that the program runs with.
    !>
    !> It may be higher than DVM_VERSION, the version of the header that the program was compiled with: docs/abi.md says which
    !> libraries a program can run with.
    !>
    !> @return the version, as DVM_VERSION counts
    !>
    !> Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
    !> Source: added to the report's interface.
    function dvm_version() &
        bind(C, name="dvm_version") result(code)
      import
      integer(c_int) :: code
    end function dvm_version

    ! ----- Starting, waiting and ending -----
    ! Unless a function says otherwise:
    ! Thread safety: one thread at a time, no task.

    !> @brief Start libdvm: look at the machine and start one worker thread per processing unit.
    !>
    !> Collective over the processes of the job: those that dvmrun has started; else those of MPI_COMM_WORLD, if the program
    !> has initialised MPI, or a launcher such as mpirun has started several processes; else this process alone.
    !> DVM_TRANSPORT decides otherwise, and `dvm-info --transports` tells. The processes of a host share its processing units
    !> out between them. After dvm_finalize the function may be called again, in all processes and over the same
    !> connections; ids are not given again. When libdvm was started on behalf of generated code, the call succeeds and the
    !> caller becomes responsible for dvm_finalize; the process stays alone then, unless the regions of the program run on
    !> several processes (clause `across`).
    !>
    !> If MPI was initialised below MPI_THREAD_MULTIPLE, and processes are reached by MPI, only the thread that calls
    !> dvm_init makes calls of MPI, inside dvm_wait, dvm_serve and dvm_finalize.
    !>
    !> @retval DVM_SUCCESS                  libdvm is running
    !> @retval DVM_ERR_ALREADY_INITIALIZED  it was running already
    !> @retval DVM_ERR_IN_TASK              called inside a task or a free callback
    !> @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
    !> @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
    !> @retval DVM_ERR_MEMORY               the threads could not be started
    !> @retval DVM_ERR_PEER_LOST            another process has ended meanwhile
    !> @retval DVM_ERR_UNSUPPORTED          the machine's topology cannot be read; or several processes were started and there
    !>                                      is no way to reach them, such as no plugin for their MPI: no process is silently
    !>                                      alone; or two processes have different builds of libdvm; or this process was
    !>                                      forked while libdvm was running: the workers stayed in the parent, and every
    !>                                      other call answers DVM_ERR_NOT_INITIALIZED here; or a region with the clause
    !>                                      `across` has run before on several processes, which do not run main
    !>
    !> Source: added to the report's interface.
    function dvm_init() &
        bind(C, name="dvm_init") result(code)
      import
      integer(c_int) :: code
    end function dvm_init

    !> @brief Start libdvm beside an MPI program, on the processes of one of its communicators.
    !>
    !> Collective over the communicator's processes; the others of the program go on without libdvm. As dvm_init otherwise.
    !> libdvm duplicates the communicator, so its messages meet none of the program's, and the program may free the
    !> communicator afterwards. libdvm does not finalize the MPI of a program: call dvm_finalize before MPI_Finalize.
    !> In C, dvm_init_mpi of dvm_mpi.h takes an MPI_Comm; in Fortran, a communicator of module mpi is the number itself, and
    !> one of module mpi_f08 has it in MPI_VAL.
    !>
    !> @param[in] fortran_comm  the communicator as MPI_Comm_c2f gives it
    !> @retval DVM_SUCCESS                  libdvm is running
    !> @retval DVM_ERR_ALREADY_INITIALIZED  libdvm is running already
    !> @retval DVM_ERR_IN_TASK              called inside a task or a free callback
    !> @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize; or MPI is not initialised, or
    !>                                      has been finalized
    !> @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
    !> @retval DVM_ERR_MEMORY               the threads could not be started
    !> @retval DVM_ERR_PEER_LOST            another process has ended meanwhile
    !> @retval DVM_ERR_UNSUPPORTED          the program has no MPI, there is no plugin for it, or the communicator is not one
    !>                                      of it; or what dvm_init tells by this code
    !>
    !> Source: added to the report's interface.
    function dvm_init_comm(fortran_comm) &
        bind(C, name="dvm_init_comm") result(code)
      import
      integer(c_int), value :: fortran_comm
      integer(c_int) :: code
    end function dvm_init_comm

    !> @brief Wait for all tasks, end libdvm, and free all data that are left, calling their free callbacks.
    !>
    !> Collective: it returns when no task can run in any process, and nothing is under way between them; all processes call
    !> it, also those that have served. Threads outside tasks are refused first: as soon as the call has begun, whatever makes
    !> something new (scheduling, register, allocate, promise, next, graphs, redistributions) answers them
    !> DVM_ERR_NOT_INITIALIZED, and so does every call of theirs once all tasks have ended. Until then they may publish, get and
    !> put. Tasks may go on scheduling, and the call returns when no task can run any more: tasks that schedule for ever put it
    !> off for ever.
    !> Tasks that wait for data which nobody has published are cancelled then. Memory obtained by dvm_data_get is
    !> gone afterwards, also when it was not put. The codes DVM_ERR_TASK and DVM_ERR_STATE (the first meaning) report
    !> what went wrong before; libdvm has ended all the same. So it has after a loss of a process, which is told once by a
    !> wait, or here.
    !>
    !> @retval DVM_SUCCESS              libdvm has ended
    !> @retval DVM_ERR_TASK             libdvm has ended; tasks had failed and no wait had reported it
    !> @retval DVM_ERR_STATE            libdvm has ended; tasks waited for data that nobody published and were cancelled.
    !>                                  Or: another thread is in init, wait, serve or finalize, and nothing was done
    !> @retval DVM_ERR_ARGUMENT         libdvm has ended; the file of DVM_TRACE, DVM_DOT or DVM_PROFILE could not be written
    !> @retval DVM_ERR_PEER_LOST        libdvm has ended; a process was lost and no wait had reported it, or the job had ended
    !>                                  by the loss of process 0
    !> @retval DVM_ERR_NOT_INITIALIZED  it was not running
    !> @retval DVM_ERR_IN_TASK          called inside a task or a free callback
    !>
    !> Thread safety: one thread at a time (others get DVM_ERR_STATE, or DVM_ERR_NOT_INITIALIZED once it has ended), no task.
    !> Calls that other threads make meanwhile are safe and find libdvm running or not. Source: added to the report's interface.
    function dvm_finalize() &
        bind(C, name="dvm_finalize") result(code)
      import
      integer(c_int) :: code
    end function dvm_finalize

    !> @brief Wait until every scheduled task has ended, in all processes.
    !>
    !> Collective: a process that serves takes part by that. The caller sleeps, or passes messages on. All processes get the
    !> same verdict; of several failures the message is that of the lowest process. After a loss of a process the call
    !> returns all the same: what only that process had is poisoned, and its tasks have failed. Failures of tasks since the
    !> last wait are reported once, here. A task that was only cancelled, because of a failure that was reported before, is no
    !> failure of its own.
    !>
    !> @retval DVM_SUCCESS              all tasks have ended, none has failed since the last wait
    !> @retval DVM_ERR_TASK             all tasks have ended, some have failed, in any process: dvm_last_error names processings,
    !>                                  codes and data
    !> @retval DVM_ERR_PEER_LOST        a process was lost since the last wait, told once: dvm_last_error names it. Or process 0
    !>                                  is lost, or has declared this process lost: the job has ended
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
    !> Collective: it returns when process 0 has called dvm_finalize and no task can run any more; dvm_finalize is to follow.
    !> Meanwhile the process runs tasks, keeps data, and takes part in each dvm_wait of the others.
    !>
    !> @retval DVM_SUCCESS              process 0 finalizes; nothing has failed since the last wait
    !> @retval DVM_ERR_TASK             process 0 finalizes; tasks had failed and no wait had reported it
    !> @retval DVM_ERR_PEER_LOST        a process was lost, told once; or process 0 is lost, or has declared this process lost
    !> @retval DVM_ERR_UNSUPPORTED      this is process 0, which does not serve: it calls dvm_wait and dvm_finalize
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !> @retval DVM_ERR_IN_TASK          called inside a task or a free callback
    !> @retval DVM_ERR_STATE            another thread is in init, wait, serve or finalize
    !>
    !> Source: added to the report's interface.
    function dvm_serve() &
        bind(C, name="dvm_serve") result(code)
      import
      integer(c_int) :: code
    end function dvm_serve

    !> @brief Which process of the job this is, and how many there are.
    !>
    !> The indices are those of dvmrun, or the ranks of the communicator that the job was made from. They do not change
    !> when a process is lost.
    !>
    !> @param[out] index  the calling process, from 0
    !> @param[out] count  the number of processes, 1 for a process that is alone
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

    ! ----- Ranks: the coordinates of the processing units -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

    !> @brief The number of components of a rank.
    !>
    !> It is the same on all processes and at most DVM_MAX_RANK_DEPTH.
    !>
    !> @param[out] dimension  the number of components
    !> @retval DVM_SUCCESS              dimension is written
    !> @retval DVM_ERR_ARGUMENT         dimension is NULL
    !>
    !> Source: report, section 4.2.4, ranking.
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
    !>
    !> Source: report, section 4.2.4, ranking.
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
    !>
    !> Source: report, section 4.2.4, ranking.
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
    !>
    !> Source: added to the report's interface.
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
    !>
    !> Source: added to the report's interface.
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
    !>
    !> Source: added to the report's interface.
    function dvm_rank_distance(a, b, distance) &
        bind(C, name="dvm_rank_distance") result(code)
      import
      integer(c_int64_t), intent(in) :: a(*)
      integer(c_int64_t), intent(in) :: b(*)
      integer(c_int64_t), intent(out) :: distance
      integer(c_int) :: code
    end function dvm_rank_distance

    ! ----- Data: blobs of bytes with an id and references -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.
    !
    ! # Over processes
    ! The process that makes a datum is its home, word 0 of the id. Any process may use the id; how it gets there is the
    ! program's affair, for example in a datum. References belong to the process that holds them: who has none of a datum
    ! of another home asks that home, while the call goes on. So DVM_ERR_NO_REFERENCE, and DVM_ERR_ID for an id that home
    ! does not know, are found at once at home only; elsewhere the next dvm_wait tells them, as a failed task.
    ! DVM_ERR_PEER_LOST: the home of the datum is lost.

    !> @brief Make a datum of memory that exists. The bytes are not copied.
    !>
    !> The datum is published and has one reference. The memory belongs to libdvm until free_cb is called (or, without
    !> free_cb, until the last reference has gone). The caller may write to it until the datum is first scheduled.
    !>
    !> @param[in]  addr     the memory
    !> @param[in]  size     its size in bytes; 0 is legal
    !> @param[in]  free_cb  NULL, or what to call exactly once, as free_cb(addr, size), when the last reference of the
    !>                      datum, or of the last one that carries its storage on (dvm_data_next), has gone; it runs on
    !>                      any thread, with no lock of libdvm held, and may call what a task may call; what it throws ends
    !>                      there, and the next dvm_wait, or dvm_finalize, reports it as a task that failed
    !> @param[out] id       the id of the new datum
    !> @retval DVM_SUCCESS              id is written
    !> @retval DVM_ERR_ARGUMENT         addr or id is NULL, or addr and size wrap around
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !>
    !> Source: report, section 4.2.4, data management.
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
    !>
    !> Source: report, section 4.2.4, data management.
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
    !> Of a datum of another home the calling process gets a reference of its own; if it held none, home is asked, and no
    !> call waits for the answer.
    !>
    !> @param[in] id  the datum
    !> @retval DVM_SUCCESS              the datum has one reference more
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_STATE            the datum ends with the task that reads it now, because that task carries its
    !>                                  storage on in place (dvm_data_next)
    !> @retval DVM_ERR_PEER_LOST        the home of the datum is lost
    !>
    !> Source: report, section 4.2.4, data management.
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
    !> @retval DVM_ERR_PEER_LOST        the home of the datum is lost
    !>
    !> Source: report, section 4.2.4, data management.
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
    !> Bytes of another process are brought here first, and the call waits for them, also in a task, whose worker does other
    !> tasks meanwhile; the address is that of a copy, which is for reading. Only arguments of the task are here already.
    !>
    !> @param[in]  id    the datum
    !> @param[out] addr  the address of its bytes
    !> @param[out] size  their number
    !> @retval DVM_SUCCESS              addr and size are written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_NOT_READY        in a task or a free callback: the datum is not published yet; schedule a task on it
    !> @retval DVM_ERR_POISONED         the task that was to produce the datum has failed or was cancelled
    !> @retval DVM_ERR_STATE            the storage is being carried on in place by a task (dvm_data_next), or 2^32 - 1 gets
    !>                                  have not been put
    !> @retval DVM_ERR_MEMORY           no memory for the bytes
    !> @retval DVM_ERR_PEER_LOST        the home of the datum is lost, or the bytes were with it
    !>
    !> Source: added to the report's interface.
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
    !>
    !> Source: added to the report's interface.
    function dvm_data_put(id) &
        bind(C, name="dvm_data_put") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_data_put

    !> @brief Make the id of a datum whose bytes do not exist yet.
    !>
    !> The datum starts with one reference. A task that reads it waits, taking no worker, until the datum is published.
    !> The datum has one producer: the task whose output it is, or the caller of dvm_data_write and then dvm_data_publish.
    !>
    !> @param[in]  size  the size in bytes; 0 is legal
    !> @param[out] id    the id of the new datum
    !> @retval DVM_SUCCESS              id is written
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_MEMORY           no machine has that much memory, or none is left for the bookkeeping
    !>
    !> Source: added to the report's interface.
    function dvm_data_promise(size, id) &
        bind(C, name="dvm_data_promise") result(code)
      import
      integer(c_size_t), value :: size
      integer(c_int64_t), intent(out) :: id(2)
      integer(c_int) :: code
    end function dvm_data_promise

    !> @brief Become the producer of a promise by hand: address and size of the memory to write, zeroed.
    !>
    !> The production ends with dvm_data_publish, after which the bytes do not change any more. Until then the memory
    !> stays, also when the last reference goes.
    !>
    !> @param[in]  id    the promise
    !> @param[out] addr  the address of its bytes
    !> @param[out] size  their number
    !> @retval DVM_SUCCESS              addr and size are written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_ID               the datum is unknown or has been freed
    !> @retval DVM_ERR_STATE            it is published, or has a producer, or carries on another datum (dvm_data_next), or is
    !>                                  a promise of another process: that one writes it, or a task that has it as an output
    !> @retval DVM_ERR_POISONED         it was poisoned
    !> @retval DVM_ERR_MEMORY           no memory for the bytes
    !>
    !> Source: added to the report's interface.
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
    !>                                  another datum (dvm_data_next) and the caller is not the task that it is an output of,
    !>                                  or it is a promise of another process and the caller is not that task
    !> @retval DVM_ERR_POISONED         it was poisoned
    !>
    !> Source: added to the report's interface.
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
    !> Over processes the memory is carried on where the task runs, if the process that schedules the task is the home of the
    !> current datum and no other process holds references of it; otherwise the new datum begins as a copy.
    !>
    !> @param[in]  current  a datum, published or not
    !> @param[out] next     the id of the new promise
    !> @retval DVM_SUCCESS              next is written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_ID               the current datum is unknown or has been freed
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !> @retval DVM_ERR_PEER_LOST        the home of the current datum is lost
    !>
    !> Source: added to the report's interface.
    function dvm_data_next(current, next) &
        bind(C, name="dvm_data_next") result(code)
      import
      integer(c_int64_t), intent(in) :: current(2)
      integer(c_int64_t), intent(out) :: next(2)
      integer(c_int) :: code
    end function dvm_data_next

    function c_dvm_data_name(id, name) &
        bind(C, name="dvm_data_name") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: code
    end function c_dvm_data_name

    ! ----- Processings: registered functions -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

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
    !> Before the first task of the processing, in the process that has registered it. Without this call all arguments are
    !> inputs.
    !>
    !> @param[in] id     the processing
    !> @param[in] modes  one of DVM_IN, DVM_OUT, DVM_READ and DVM_INOUT for each of its arguments
    !> @retval DVM_SUCCESS              the modes are set
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, or a mode is unknown
    !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
    !> @retval DVM_ERR_STATE            a task of this processing was scheduled already, or is being scheduled
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !>
    !> Source: added to the report's interface.
    function dvm_processing_access(id, modes) &
        bind(C, name="dvm_processing_access") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int), intent(in) :: modes(*)
      integer(c_int) :: code
    end function dvm_processing_access

    !> @brief Forget a processing. Tasks that were scheduled with it still run; no new ones can be.
    !>
    !> In the process that has registered it.
    !>
    !> @param[in] id  the address of the processing's id; the id itself is not changed
    !> @retval DVM_SUCCESS              the id is stale now
    !> @retval DVM_ERR_ARGUMENT         id is NULL
    !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
    !>
    !> Source: report, section 4.2.4, processing.
    function dvm_processing_unregister(id) &
        bind(C, name="dvm_processing_unregister") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int) :: code
    end function dvm_processing_unregister

    ! ----- Scheduling: a processing and its data, brought together at a processing unit -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

    function c_dvm_sched_onto_v(rank, processing, ids, count) &
        bind(C, name="dvm_sched_onto_v") result(code)
      import
      integer(c_int64_t), intent(in) :: rank(*)
      integer(c_int64_t), intent(in) :: processing(2)
      integer(c_int64_t), intent(inout) :: ids(2, *)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function c_dvm_sched_onto_v

    function c_dvm_sched_near(processing, ids, count) &
        bind(C, name="dvm_sched_near") result(code)
      import
      integer(c_int64_t), intent(in) :: processing(2)
      integer(c_int64_t), intent(inout) :: ids(2, *)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function c_dvm_sched_near

    !> @brief The number of tasks of a processing unit that were scheduled and have not ended.
    !>
    !> Tasks that are to run near data which are not all published belong to no processing unit yet. Of a processing unit of
    !> another process the number is that of the tasks that this process has sent to the whole of that process.
    !>
    !> @param[in]  rank  a rank, all DVM_MAX_RANK_DEPTH components
    !> @param[out] load  the number of tasks
    !> @retval DVM_SUCCESS              load is written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL
    !> @retval DVM_ERR_RANK             no processing unit has this rank
    !>
    !> Source: report, section 4.2.4, scheduling.
    function dvm_sched_load(rank, load) &
        bind(C, name="dvm_sched_load") result(code)
      import
      integer(c_int64_t), intent(in) :: rank(*)
      integer(c_int64_t), intent(out) :: load
      integer(c_int) :: code
    end function dvm_sched_load

    ! ----- Tasks that block, and tasks that use several cores -----
    ! Unless a function says otherwise:
    ! Thread safety: any task, on the thread that libdvm called it on.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

    !> @brief Say that this task is about to wait for something outside libdvm: a message, a file, a lock.
    !>
    !> Until dvm_blocking_end another thread runs tasks on this processing unit in its place: a spare one, or a new one.
    !> There is no limit to the number of tasks that block at once but the system's for threads. All other calls stay
    !> allowed, and do what they do in a task. A section that the task leaves open ends with the task. In a tile that runs
    !> on the program's own thread the call succeeds and does nothing.
    !>
    !> @retval DVM_SUCCESS              the section has begun
    !> @retval DVM_ERR_STATE            not called in a task or tile, or in a graph's predecessors function, or the task is in
    !>                                  a section already
    !> @retval DVM_ERR_MEMORY           no thread could be started; the task may block all the same, and holds its processing
    !>                                  unit meanwhile
    !>
    !> Source: added to the report's interface.
    function dvm_blocking_begin() &
        bind(C, name="dvm_blocking_begin") result(code)
      import
      integer(c_int) :: code
    end function dvm_blocking_begin

    !> @brief Say that this task has waited, and goes on computing.
    !>
    !> The call returns when the task that runs in its place has ended: a processing unit runs one task at a time. A task of
    !> several cores gets them again, too. Once per 64 sections that end on a processing unit a ready task goes first: tasks that
    !> begin sections again and again keep no other one waiting.
    !>
    !> @retval DVM_SUCCESS              the section has ended
    !> @retval DVM_ERR_STATE            not called in a task or tile, or the task is in no section
    !>
    !> Source: added to the report's interface.
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
    !>
    !> Thread safety: any thread, any task. Source: added to the report's interface.
    function dvm_processing_cores(id, cores) &
        bind(C, name="dvm_processing_cores") result(code)
      import
      integer(c_int64_t), intent(in) :: id(2)
      integer(c_int), value :: cores
      integer(c_int) :: code
    end function dvm_processing_cores

    ! ----- Parameterised task graphs: the interface of generated code -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any time, several at once.

    !> @brief Start libdvm when it is not running yet: for generated code in programs that do not call dvm_init.
    !>
    !> Such a process is alone: it joins no job, and where dvmrun has started several, the call is refused.
    !>
    !> What it has started ends when the program exits. A later dvm_init takes over: it succeeds, and the program then
    !> calls dvm_finalize as usual. When libdvm runs already, nothing happens.
    !>
    !> @retval DVM_SUCCESS          libdvm is running
    !> @retval DVM_ERR_ARGUMENT     an environment variable of libdvm has a value that is not understood
    !> @retval DVM_ERR_MEMORY       the threads could not be started
    !> @retval DVM_ERR_UNSUPPORTED  the machine's topology cannot be read, or this process was forked while libdvm ran
    !> @retval DVM_ERR_NOT_INITIALIZED  a thread is in dvm_finalize
    !>
    !> Source: added to the report's interface.
    function dvm_graph_start() &
        bind(C, name="dvm_graph_start") result(code)
      import
      integer(c_int) :: code
    end function dvm_graph_start

    !> @brief Run a graph; returns when all of its tiles have run.
    !>
    !> All tiles run in the calling process, also in a job of several: each process runs graphs of its own.
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
    !> @retval DVM_ERR_TASK             a tile failed, or one of the graph's functions threw: the tiles after it have not run,
    !>                                  others may have
    !> @retval DVM_ERR_STATE            tiles are left over whose predecessors never ran, or predecessors and successors do
    !>                                  not agree
    !> @retval DVM_ERR_IN_TASK          called inside a task or a tile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running, or dvm_finalize has begun
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

    ! ----- Regions of generated code: how an entry runs, by what earlier entries have taken -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any time, several at once.

    !> @brief Begin an entry into a region, or into one of its phases: by the fastest way that is known.
    !>
    !> The first entries for each power of two of the work measure both ways; then the faster one stays, and both are
    !> measured again once in a while. What a region computes does not depend on the way. With DVM_TUNE=0 nothing is
    !> measured, and the way is always 1.
    !>
    !> For a region whose original loops are the fastest, `region->unasked` tells how many entries need not ask.
    !>
    !> @param[in,out] region  the record of the region or phase
    !> @param[in]     work    about the number of iterations
    !> @param[out]    entry   how to run it; if entry->begun is not 0, dvm_region_leave is to be called after it
    !> @retval DVM_SUCCESS              entry is written
    !> @retval DVM_ERR_ARGUMENT         region or entry is NULL, or the region's size is not that of this version
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Source: added to the report's interface.
    function dvm_region_enter(region, work, entry) &
        bind(C, name="dvm_region_enter") result(code)
      import
      type(dvm_region_t), intent(inout) :: region
      integer(c_int64_t), value :: work
      type(dvm_region_entry_t), intent(out) :: entry
      integer(c_int) :: code
    end function dvm_region_enter

    !> @brief Tell whether the caller should run a region's original loops because libdvm does not run yet, and the regions so
    !> far had less work than its start costs.
    !>
    !> It does not wait if libdvm runs, nor if the environment has a variable of libdvm other than DVM_WORKERS, DVM_VERBOSE
    !> and those of the compilers (DVM_CC, DVM_FC, DVM_FLANG, DVM_PREFIX).
    !>
    !> @param[in]  work   the number of iterations of the region, or -1
    !> @param[out] waits  1: run the original loops. 0: start libdvm (dvm_graph_start) and go on
    !> @retval DVM_SUCCESS       waits is written
    !> @retval DVM_ERR_ARGUMENT  waits is NULL
    !>
    !> Source: added to the report's interface.
    function dvm_region_waits(work, waits) &
        bind(C, name="dvm_region_waits") result(code)
      import
      integer(c_int64_t), value :: work
      integer(c_int), intent(out) :: waits
      integer(c_int) :: code
    end function dvm_region_waits

    !> @brief End an entry whose time is wanted.
    !>
    !> @param[in,out] region  the record that the entry was begun with
    !> @param[in]     entry   as dvm_region_enter has written it
    !> @retval DVM_SUCCESS              the time is noted
    !> @retval DVM_ERR_ARGUMENT         region or entry is NULL, the region's size is not that of this version, or the entry
    !>                                  is none that dvm_region_enter has written
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Source: added to the report's interface.
    function dvm_region_leave(region, entry) &
        bind(C, name="dvm_region_leave") result(code)
      import
      type(dvm_region_t), intent(inout) :: region
      type(dvm_region_entry_t), intent(in) :: entry
      integer(c_int) :: code
    end function dvm_region_leave

    !> @brief Choose the tile sizes of a phase, as dvm_graph_sizes does, and by the measured time of its iterations: few
    !> iterations that take long become several tiles. Equal questions in a row are answered at once.
    !>
    !> @param[in,out] region     the record of the phase
    !> @param[in]     dimension  as for dvm_graph_sizes, as are all that follow
    !> @param[in]     extent     the number of values of each coordinate
    !> @param[in]     carried    flags of the coordinates
    !> @param[in]     footprint  bytes that a tile touches
    !> @param[in]     context    the first argument of footprint
    !> @param[in,out] sizes      the sizes, 0 where one is wanted, -m where a multiple of m is wanted: as many values as a block
    !>                           that stays in registers has. A tile of such blocks may touch more bytes. DVM_TILE may give
    !>                           any size, and a size is never above the extent
    !> @retval DVM_SUCCESS              sizes is written
    !> @retval DVM_ERR_ARGUMENT         as for dvm_graph_sizes, but for negative sizes down to -65536, or the region's size is not
    !>                                  that of this version
    !> @retval DVM_ERR_TASK             footprint threw, or left by pthread_exit
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Source: added to the report's interface.
    function dvm_region_sizes(region, dimension, extent, carried, footprint, context, sizes) &
        bind(C, name="dvm_region_sizes") result(code)
      import
      type(dvm_region_t), intent(inout) :: region
      integer(c_int), value :: dimension
      integer(c_int64_t), intent(in) :: extent(*)
      integer(c_int), intent(in) :: carried(*)
      type(c_funptr), value :: footprint
      type(c_ptr), value :: context
      integer(c_int64_t), intent(inout) :: sizes(*)
      integer(c_int) :: code
    end function dvm_region_sizes

    !> @brief Run a graph as dvm_graph_run does, for a region: if its tiles wait for nothing, or are a box of a few thousand,
    !> the calling thread runs some of them, with the workers' help.
    !>
    !> @param[in] graph  the graph; it and all that it points to must stay as they are until the call returns
    !> @retval DVM_SUCCESS              every tile has run
    !> @retval DVM_ERR_ARGUMENT         as for dvm_graph_run
    !> @retval DVM_ERR_TASK             a tile failed, or one of the graph's functions threw: other tiles may not have run
    !> @retval DVM_ERR_STATE            as for dvm_graph_run
    !> @retval DVM_ERR_IN_TASK          called inside a task or a tile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running, or dvm_finalize has begun
    !>
    !> Thread safety: any thread that is no worker, several at once. Source: added to the report's interface.
    function dvm_region_run(graph) &
        bind(C, name="dvm_region_run") result(code)
      import
      type(dvm_graph_t), intent(in) :: graph
      integer(c_int) :: code
    end function dvm_region_run

    ! ----- Regions of generated code that run on all processes of a job -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread that is no worker; the calls of one process run one after the other.

    !> @brief Tell whether regions with the clause `across` run on several processes: in a job of several, unless DVM_ACROSS=0.
    !>
    !> @param[out] across  1 if they do, else 0. 2: they do, this process alone runs main, and DVM_RECOVER=1 has it outlive the
    !>                     others: the caller keeps what the region overwrites, and runs it again if dvm_across_run fails
    !> @retval DVM_SUCCESS       across is written
    !> @retval DVM_ERR_ARGUMENT  across is NULL
    !>
    !> Thread safety: any thread, any time; before dvm_init the answer is 0. Source: added to the report's interface.
    function dvm_across_begins(across) &
        bind(C, name="dvm_across_begins") result(code)
      import
      integer(c_int), intent(out) :: across
      integer(c_int) :: code
    end function dvm_across_begins

    !> @brief Run a region on all processes of the job. All processes call it together, with equal arrays and parameters.
    !>
    !> Each process runs the tiles that are dealt out to it. What they write and tiles of others read is sent to these, and
    !> at the end everything that the region leaves behind is in the arrays of all processes.
    !>
    !> @param[in]  region   the region
    !> @param[in]  context  the first argument of its functions
    !> @param[in]  arrays   its arrays, as many as the region says
    !> @param[in]  digest   a digest of all parameters: if the processes give different ones, nothing runs
    !> @param[in]  willing  zero: this process cannot run the region as tiles; then nothing runs, in no process
    !> @param[out] ran      1: the region has run. 0: nothing has run, in no process; a region without the clause (`offered`) runs
    !>                      only where that pays
    !> @retval DVM_SUCCESS              ran is written
    !> @retval DVM_ERR_ARGUMENT         region, its functions, arrays or ran is NULL, or its size is not that of this version
    !> @retval DVM_ERR_TASK             a tile failed, here or elsewhere: the arrays are half done
    !> @retval DVM_ERR_PEER_LOST        a process is lost: the arrays are half done
    !> @retval DVM_ERR_STATE            the process is in no job of several, or the processes do not run equal graphs
    !> @retval DVM_ERR_IN_TASK          called inside a task or a tile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Source: added to the report's interface.
    function dvm_across_run(region, context, arrays, digest, willing, ran) &
        bind(C, name="dvm_across_run") result(code)
      import
      type(dvm_across_t), intent(in) :: region
      type(c_ptr), value :: context
      type(dvm_across_array_t), intent(in) :: arrays
      integer(c_int64_t), value :: digest
      integer(c_int), value :: willing
      integer(c_int), intent(out) :: ran
      integer(c_int) :: code
    end function dvm_across_run

    !> @brief Tell that a loop of regions begins or has ended: for generated code.
    !>
    !> Meanwhile this thread runs regions, and nothing else that uses their arrays. Where process 0 alone runs main, arrays with
    !> DVM_ACROSS_KEEP_IN_LOOP stay on the processes from one region to the next. When the loop has ended, process 0 has them.
    !>
    !> @param[in] begins  1: it begins. 0: it has ended, and its arrays come back
    !> @retval DVM_SUCCESS        all is where it belongs
    !> @retval DVM_ERR_PEER_LOST  a process is lost that had some of it: the arrays are half done
    !> @retval DVM_ERR_STATE      the system refuses to open or to fill their memory: the arrays are half done
    !>
    !> Thread safety: any thread, any time. Source: added to the report's interface.
    function dvm_across_loop(begins) &
        bind(C, name="dvm_across_loop") result(code)
      import
      integer(c_int), value :: begins
      integer(c_int) :: code
    end function dvm_across_loop

    !> @brief Make a region known before main begins: for constructors of generated code.
    !>
    !> In a program of one process whose regions run on all (dvm_across_serve), the processes that serve know the regions
    !> by this. All processes call it for the same regions in the same order.
    !>
    !> @param[in] region  the region: its `context`, `members` and `places` are there; NULL: one that processes cannot serve, so
    !>                    that process 0 runs it
    !> @retval DVM_SUCCESS       the region is known
    !> @retval DVM_ERR_ARGUMENT  one of the region's functions is NULL, or its size is not that of this version
    !>
    !> Thread safety: any thread, any time, before main. Source: added to the report's interface.
    function dvm_across_known(region) &
        bind(C, name="dvm_across_known") result(code)
      import
      type(dvm_across_t), intent(in) :: region
      integer(c_int) :: code
    end function dvm_across_known

    !> @brief Serve the regions of a program of one process, before main begins: for constructors of generated code.
    !>
    !> Where several processes were started, the program uses no MPI and has regions with the clause `across`, or regions that
    !> were compiled with `dvmcc --across` and neither it nor its libraries mention MPI or dvm_init, process 0 alone runs main,
    !> and the call returns there. The others do not return: they take part in its regions and end with it. If
    !> process 0 calls dvm_init in main, the program is one for all processes: they return, too, and run main.
    !> Where one process was started, with DVM_ACROSS=0, or when called from a shared library, the call does nothing.
    !>
    !> @param[in] caller  a function of the program
    !> @retval DVM_SUCCESS  the process runs main
    !>
    !> Thread safety: any thread, any time, before main. Source: added to the report's interface.
    function dvm_across_serve(caller) &
        bind(C, name="dvm_across_serve") result(code)
      import
      type(c_funptr), value :: caller
      integer(c_int) :: code
    end function dvm_across_serve

    !> @brief Agree on the sizes of the next graph's tiles: those of process 0. Called by the body of a region.
    !>
    !> @param[in]     call       as the body was given it
    !> @param[in]     count      the number of coordinates
    !> @param[in,out] sizes      the sizes that this process would take; then those that all take
    !> @retval DVM_SUCCESS              sizes is written
    !> @retval DVM_ERR_ARGUMENT         call or sizes is NULL, or count is out of range
    !> @retval DVM_ERR_STATE            the processes do not run equal graphs
    !> @retval DVM_ERR_IN_TASK          called inside a task or a tile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Source: added to the report's interface.
    function dvm_across_sizes(call, count, sizes) &
        bind(C, name="dvm_across_sizes") result(code)
      import
      type(c_ptr), value :: call
      integer(c_int), value :: count
      integer(c_int64_t), intent(inout) :: sizes(*)
      integer(c_int) :: code
    end function dvm_across_sizes

    !> @brief Give a graph to a call of a region: learns it the first time that the body runs, then runs this process's tiles of
    !> it, until all processes have run theirs. Called by the body of a region.
    !>
    !> @param[in] call         as the body was given it
    !> @param[in] graph        the graph, by `carried`: its lower ends are 0
    !> @param[in] phase        the number of its phase
    !> @param[in] hosts_count  the number of the phase's host loops
    !> @param[in] hosts        their values
    !> @param[in] first        coordinates of the band where tile 0 begins, as many as the graph's dimension
    !> @param[in] step         sizes of a tile
    !> @retval DVM_SUCCESS              the graph is learnt, or has run
    !> @retval DVM_ERR_ARGUMENT         as for dvm_graph_run; or a list is missing, or the graph tells its own edges
    !> @retval DVM_ERR_TASK             a tile failed, here or elsewhere
    !> @retval DVM_ERR_PEER_LOST        a process is lost
    !> @retval DVM_ERR_STATE            the processes do not run equal graphs
    !> @retval DVM_ERR_IN_TASK          called inside a task or a tile
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Source: added to the report's interface.
    function dvm_across_graph(call, graph, phase, hosts_count, hosts, first, step) &
        bind(C, name="dvm_across_graph") result(code)
      import
      type(c_ptr), value :: call
      type(dvm_graph_t), intent(in) :: graph
      integer(c_int), value :: phase
      integer(c_int), value :: hosts_count
      integer(c_int64_t), intent(in) :: hosts(*)
      integer(c_int64_t), intent(in) :: first(*)
      integer(c_int64_t), intent(in) :: step(*)
      integer(c_int) :: code
    end function dvm_across_graph

    ! ----- Explanations: what waits for what, for a program that does not go on -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task; not in a signal's handler.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

    !> @brief Print on stderr what waits for what.
    !>
    !> Each task that waits is named with its processing's description, its arguments and its place, with the datum that it
    !> misses and with who was to publish that: a task, the program by hand, or nobody. Cycles are found. Threads that sleep in
    !> dvm_data_get are counted with the datum that they wait for. For each graph that runs, the tiles that run and that wait
    !> are listed, with the predecessors that they miss. Long lists are cut and counted. Workers go on meanwhile. At the end
    !> stands how the regions of generated code run, with the measured times (DVM_TUNE).
    !>
    !> The environment variables DVM_WATCHDOG and DVM_EXPLAIN_SIGNAL have libdvm do this by itself.
    !>
    !> @retval DVM_SUCCESS              it is printed
    !>
    !> Source: added to the report's interface.
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
    !>
    !> Source: added to the report's interface.
    function dvm_explain_text(buffer, size, needed) &
        bind(C, name="dvm_explain_text") result(code)
      import
      type(c_ptr), value :: buffer
      integer(c_size_t), value :: size
      integer(c_size_t), intent(out) :: needed
      integer(c_int) :: code
    end function dvm_explain_text

    ! ----- Distributions: where the elements of an array are -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task, any time.

    function c_dvm_distribution_parse(text, parameters, distribution) &
        bind(C, name="dvm_distribution_parse") result(code)
      import
      character(kind=c_char), intent(in) :: text(*)
      character(kind=c_char), intent(in) :: parameters(*)
      type(dvm_distribution_t), intent(out) :: distribution
      integer(c_int) :: code
    end function c_dvm_distribution_parse

    !> @brief Make a distribution of arrays: one entry per variable, with constant bounds.
    !>
    !> Variables are listed in the order of memories and places: of the architectural ones the last runs fastest through
    !> the memories' numbers, of the data variables of one dimension the last runs fastest through its local indices.
    !>
    !> @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
    !> @param[in]  offset        the origin of each dimension; NULL: all 0
    !> @param[in]  elements      the number of elements of each dimension: what lies outside 0 .. elements-1 does not
    !>                           exist; NULL: what the variables reach
    !> @param[in]  variables     the number of variables, 0 or more
    !> @param[in]  dimension     the dimension of each variable, from 0
    !> @param[in]  architectural for each variable 1 when it names memories, 0 when it names places
    !> @param[in]  coef          the coefficient of each variable, any sign; 0 replicates
    !> @param[in]  lower         the least value of each variable
    !> @param[in]  upper         the greatest value of each variable (it belongs to the range)
    !> @param[out] distribution  the handle of the new distribution
    !> @retval DVM_SUCCESS       distribution is written
    !> @retval DVM_ERR_ARGUMENT  distribution is NULL, an array is NULL with variables above 0, a count or a dimension is
    !>                           out of range, elements is negative, or a number exceeds 2^62
    !>
    !> Source: added; the second paper's definition of a distribution.
    function dvm_distribution_make(dimensions, offset, elements, variables, dimension, &
        architectural, coef, lower, upper, distribution) &
        bind(C, name="dvm_distribution_make") result(code)
      import
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: offset(*)
      integer(c_int64_t), intent(in) :: elements(*)
      integer(c_int), value :: variables
      integer(c_int), intent(in) :: dimension(*)
      integer(c_int), intent(in) :: architectural(*)
      integer(c_int64_t), intent(in) :: coef(*)
      integer(c_int64_t), intent(in) :: lower(*)
      integer(c_int64_t), intent(in) :: upper(*)
      type(dvm_distribution_t), intent(out) :: distribution
      integer(c_int) :: code
    end function dvm_distribution_make

    !> @brief Make a block-cyclic distribution: in each dimension blocks are dealt round-robin to a line of processes.
    !>
    !> Block size 1 is the cyclic distribution. Memories are numbered row-major over the grid of processes.
    !>
    !> @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
    !> @param[in]  elements      the number of elements of each dimension
    !> @param[in]  block         the block size in each dimension; 0: one block per process, of equal size
    !> @param[in]  processes     the number of processes in each dimension
    !> @param[out] distribution  the handle of the new distribution
    !> @retval DVM_SUCCESS       distribution is written
    !> @retval DVM_ERR_ARGUMENT  a pointer is NULL, a number is negative, processes is 0, or an extent exceeds 2^62
    !>
    !> Source: added; the second paper, block-cyclic distributions.
    function dvm_distribution_block_cyclic(dimensions, elements, block, processes, distribution) &
        bind(C, name="dvm_distribution_block_cyclic") result(code)
      import
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: elements(*)
      integer(c_int64_t), intent(in) :: block(*)
      integer(c_int64_t), intent(in) :: processes(*)
      type(dvm_distribution_t), intent(out) :: distribution
      integer(c_int) :: code
    end function dvm_distribution_block_cyclic

    !> @brief Make a distribution in blocks that overlap: each memory also holds elements of its neighbours' blocks.
    !>
    !> Blocks are of equal size (the last ones may be shorter). At the ends of the array there is no halo, but its room
    !> stays: local index `before` is the first element of the block in every memory.
    !>
    !> @param[in]  dimensions    the number of dimensions of the array, 1 to DVM_DISTRIBUTION_MAX_DIMENSION
    !> @param[in]  elements      the number of elements of each dimension
    !> @param[in]  processes     the number of processes in each dimension
    !> @param[in]  before        the width of the halo at the lower side in each dimension
    !> @param[in]  after         the width of the halo at the upper side in each dimension
    !> @param[out] distribution  the handle of the new distribution
    !> @retval DVM_SUCCESS       distribution is written
    !> @retval DVM_ERR_ARGUMENT  a pointer is NULL, a number is negative, processes is 0, or an extent exceeds 2^62
    !>
    !> Source: added; the second paper, distributions with overlap.
    function dvm_distribution_halo(dimensions, elements, processes, before, after, distribution) &
        bind(C, name="dvm_distribution_halo") result(code)
      import
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: elements(*)
      integer(c_int64_t), intent(in) :: processes(*)
      integer(c_int64_t), intent(in) :: before(*)
      integer(c_int64_t), intent(in) :: after(*)
      type(dvm_distribution_t), intent(out) :: distribution
      integer(c_int) :: code
    end function dvm_distribution_halo

    !> @brief Make the distribution of a ScaLAPACK array descriptor.
    !>
    !> Memory p * columns + q is that of the process in row p and column q of the grid. Local arrays are column-major
    !> with the descriptor's leading dimension, which must do for every process; dvm_distribution_set_strides gives one
    !> memory another.
    !>
    !> @param[in]  descriptor    the nine integers DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_; CTXT_ is not
    !>                           looked at
    !> @param[in]  rows          the number of rows of the process grid
    !> @param[in]  columns       the number of its columns
    !> @param[out] distribution  the handle of the new distribution
    !> @retval DVM_SUCCESS       distribution is written
    !> @retval DVM_ERR_ARGUMENT  a pointer is NULL, DTYPE_ is not 1, a number is out of range, or LLD_ is less than the
    !>                           local rows of some process
    !>
    !> Source: added; ScaLAPACK's array descriptor.
    function dvm_distribution_scalapack(descriptor, rows, columns, distribution) &
        bind(C, name="dvm_distribution_scalapack") result(code)
      import
      integer(c_int), intent(in) :: descriptor(*)
      integer(c_int), value :: rows
      integer(c_int), value :: columns
      type(dvm_distribution_t), intent(out) :: distribution
      integer(c_int) :: code
    end function dvm_distribution_scalapack

    !> @brief The same for a descriptor of 64-bit integers.
    !>
    !> @param[in]  descriptor    as in dvm_distribution_scalapack
    !> @param[in]  rows          the number of rows of the process grid
    !> @param[in]  columns       the number of its columns
    !> @param[out] distribution  the handle of the new distribution
    !> @retval DVM_SUCCESS       distribution is written
    !> @retval DVM_ERR_ARGUMENT  as in dvm_distribution_scalapack
    !>
    !> Source: added; ScaLAPACK's array descriptor.
    function dvm_distribution_scalapack_64(descriptor, rows, columns, distribution) &
        bind(C, name="dvm_distribution_scalapack_64") result(code)
      import
      integer(c_int64_t), intent(in) :: descriptor(*)
      integer(c_int64_t), value :: rows
      integer(c_int64_t), value :: columns
      type(dvm_distribution_t), intent(out) :: distribution
      integer(c_int) :: code
    end function dvm_distribution_scalapack_64

    !> @brief Say in which order the dimensions of the local arrays run, the slowest first; the arrays are dense.
    !>
    !> The order 0, 1 is row-major (what a new distribution has), 1, 0 column-major. Plans that were made before keep
    !> what they had.
    !>
    !> @param[in] distribution  the distribution
    !> @param[in] order         the dimensions from 0, each once
    !> @param[in] count         their number
    !> @retval DVM_SUCCESS       places are counted so from now on
    !> @retval DVM_ERR_ARGUMENT  order is NULL, or does not name each dimension once
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_set_order(distribution, order, count) &
        bind(C, name="dvm_distribution_set_order") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int), intent(in) :: order(*)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function dvm_distribution_set_order

    !> @brief Say how far apart neighbours are in the local array of a memory, or of all: leading dimensions, paddings.
    !>
    !> Element (i, j, ...) of a memory lies at i * strides[0] + j * strides[1] + ..., in elements. Plans that were made
    !> before keep what they had.
    !>
    !> @param[in] distribution  the distribution
    !> @param[in] memory        the number of the memory, or DVM_DISTRIBUTION_EVERY_MEMORY
    !> @param[in] strides       one per dimension, positive
    !> @param[in] count         their number
    !> @retval DVM_SUCCESS       places are counted so from now on
    !> @retval DVM_ERR_ARGUMENT  strides is NULL, there is no such memory, the number of strides is wrong, or two
    !>                           elements would have one place
    !> @retval DVM_ERR_STATE     one memory is to have strides, but the layout interleaves dimensions
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_set_strides(distribution, memory, strides, count) &
        bind(C, name="dvm_distribution_set_strides") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int64_t), value :: memory
      integer(c_int64_t), intent(in) :: strides(*)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function dvm_distribution_set_strides

    !> @brief Say which process each memory belongs to, for plans with DVM_REDISTRIBUTION_COLLECTIVE.
    !>
    !> @param[in] distribution  the distribution
    !> @param[in] processes     for each memory the index of its process in the job
    !> @param[in] count         their number: that of the memories
    !> @retval DVM_SUCCESS       plans that are made from now on see it so
    !> @retval DVM_ERR_ARGUMENT  processes is NULL, an index is negative or too large, or count is not the number of memories
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_set_processes(distribution, processes, count) &
        bind(C, name="dvm_distribution_set_processes") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int64_t), intent(in) :: processes(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function dvm_distribution_set_processes

    !> @brief Say that the memories belong to the processes of a grid, one to each, as Cblacs_gridinit numbers them.
    !>
    !> The grid's coordinates are those of the distribution's memories: for dvm_distribution_scalapack its rows and columns.
    !>
    !> @param[in] distribution  the distribution
    !> @param[in] order         DVM_GRID_BY_ROWS or DVM_GRID_BY_COLUMNS
    !> @param[in] processes     for each number in the grid the index of a process in the job, as when the grid is one of a
    !>                          communicator (dvm_mpi.h: dvm_distribution_set_grid_mpi); NULL: the numbers themselves
    !> @param[in] count         the length of processes, at least the number of memories; unused when it is NULL
    !> @retval DVM_SUCCESS       plans that are made from now on see it so
    !> @retval DVM_ERR_ARGUMENT  order is unknown, or count is too small
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added; ScaLAPACK's grids.
    function dvm_distribution_set_grid(distribution, order, processes, count) &
        bind(C, name="dvm_distribution_set_grid") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int), value :: order
      integer(c_int64_t), intent(in) :: processes(*)
      integer(c_int64_t), value :: count
      integer(c_int) :: code
    end function dvm_distribution_set_grid

    !> @brief The number of memories of a distribution, those that hold nothing among them.
    !>
    !> @param[in]  distribution  the distribution
    !> @param[out] memories      their number; it may be 0 when no element is anywhere
    !> @retval DVM_SUCCESS       memories is written
    !> @retval DVM_ERR_ARGUMENT  memories is NULL
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_memories(distribution, memories) &
        bind(C, name="dvm_distribution_memories") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int64_t), intent(out) :: memories
      integer(c_int) :: code
    end function dvm_distribution_memories

    !> @brief The elements that a memory must have room for.
    !>
    !> @param[in]  distribution  the distribution
    !> @param[in]  memory        the number of the memory, from 0
    !> @param[out] elements      one more than the greatest place, in elements; 0 when the memory holds nothing
    !> @retval DVM_SUCCESS       elements is written
    !> @retval DVM_ERR_ARGUMENT  elements is NULL, there is no such memory, or it exceeds 2^63 elements
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_size(distribution, memory, elements) &
        bind(C, name="dvm_distribution_size") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int64_t), value :: memory
      integer(c_int64_t), intent(out) :: elements
      integer(c_int) :: code
    end function dvm_distribution_size

    !> @brief How many local indices a memory has in each dimension.
    !>
    !> @param[in]  distribution  the distribution
    !> @param[in]  memory        the number of the memory, from 0
    !> @param[out] extents       one per dimension, all 0 when the memory holds nothing
    !> @param[in]  count         the length of extents
    !> @retval DVM_SUCCESS       extents is written
    !> @retval DVM_ERR_ARGUMENT  extents is NULL, or there is no such memory
    !> @retval DVM_ERR_SIZE      count is not the number of dimensions
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_extents(distribution, memory, extents, count) &
        bind(C, name="dvm_distribution_extents") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int64_t), value :: memory
      integer(c_int64_t), intent(out) :: extents(*)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function dvm_distribution_extents

    !> @brief How far apart neighbours are in the local array of a memory, in each dimension.
    !>
    !> @param[in]  distribution  the distribution
    !> @param[in]  memory        the number of the memory, from 0
    !> @param[out] strides       one per dimension, in elements
    !> @param[in]  count         the length of strides
    !> @retval DVM_SUCCESS       strides is written
    !> @retval DVM_ERR_ARGUMENT  strides is NULL, or there is no such memory
    !> @retval DVM_ERR_SIZE      count is not the number of dimensions
    !> @retval DVM_ERR_STATE     the layout interleaves dimensions, so that there are no such strides
    !> @retval DVM_ERR_ID        the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_strides(distribution, memory, strides, count) &
        bind(C, name="dvm_distribution_strides") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int64_t), value :: memory
      integer(c_int64_t), intent(out) :: strides(*)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function dvm_distribution_strides

    !> @brief Free a distribution. Plans that were made of it stay.
    !>
    !> @param[in] distribution  the distribution
    !> @retval DVM_SUCCESS  its handle is stale now
    !> @retval DVM_ERR_ID   the distribution is unknown or has been freed
    !>
    !> Source: added.
    function dvm_distribution_free(distribution) &
        bind(C, name="dvm_distribution_free") result(code)
      import
      type(dvm_distribution_t), value :: distribution
      integer(c_int) :: code
    end function dvm_distribution_free

    ! ----- Redistributions: from a distribution of an array to another, every element exactly once -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task, any time.

    !> @brief Plan the redistribution from a distribution of an array to another: once, for any number of rounds.
    !>
    !> Without DVM_REDISTRIBUTION_COLLECTIVE all memories are the calling process's, also in a job of several. With it the
    !> memories belong to the processes that dvm_distribution_set_processes or dvm_distribution_set_grid has named, and the
    !> call is collective: all processes of the job make it, in the same order, with equal distributions and flags, and each
    !> waits for all. If one of them fails, or gives something else, the call fails in all.
    !>
    !> @param[in]  source  the distribution that the elements come from
    !> @param[in]  target  the distribution that they are wanted in
    !> @param[in]  flags   0, or a sum of DVM_REDISTRIBUTION_BALANCE and DVM_REDISTRIBUTION_COLLECTIVE
    !> @param[out] plan    the handle of the new plan
    !> @retval DVM_SUCCESS          plan is written
    !> @retval DVM_ERR_ARGUMENT     plan is NULL, flags are unknown, the distributions have different numbers of
    !>                              dimensions, a count exceeds 2^62, a memory belongs to a process that does not exist or,
    !>                              without DVM_REDISTRIBUTION_COLLECTIVE, to another one; or, collective, another process
    !>                              has made another plan
    !> @retval DVM_ERR_ID           a distribution is unknown or has been freed
    !> @retval DVM_ERR_UNSUPPORTED  the plan has more strided copies than fit in memory
    !> @retval DVM_ERR_STATE        collective: the processes of a distribution's memories were not named, or another process
    !>                              could not make the plan
    !> @retval DVM_ERR_IN_TASK      collective, and called in a task
    !> @retval DVM_ERR_PEER_LOST    collective, and a process that has memories is lost
    !> @retval DVM_ERR_NOT_INITIALIZED  collective, and libdvm is not running
    !>
    !> Source: added; the second paper, section V.
    function dvm_redistribution_plan(source, target, flags, plan) &
        bind(C, name="dvm_redistribution_plan") result(code)
      import
      type(dvm_distribution_t), value :: source
      type(dvm_distribution_t), value :: target
      integer(c_int), value :: flags
      type(dvm_redistribution_t), intent(out) :: plan
      integer(c_int) :: code
    end function dvm_redistribution_plan

    !> @brief What a planned redistribution costs for elements of some size.
    !>
    !> @param[in]     plan     the plan
    !> @param[in]     element  the bytes of an element, 1 to 64
    !> @param[in,out] figures  on entry its size is set, on success all else
    !> @retval DVM_SUCCESS       figures is written
    !> @retval DVM_ERR_ARGUMENT  figures is NULL, its size is not that of this version, element is out of range, or the
    !>                           bytes exceed 2^63
    !> @retval DVM_ERR_ID        the plan is unknown or has been freed
    !>
    !> Source: added.
    function dvm_redistribution_figures(plan, element, figures) &
        bind(C, name="dvm_redistribution_figures") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_size_t), value :: element
      type(dvm_redistribution_figures_t), intent(inout) :: figures
      integer(c_int) :: code
    end function dvm_redistribution_figures

    !> @brief The elements that one memory sends another.
    !>
    !> @param[in]  plan      the plan
    !> @param[in]  source    the number of the source memory, from 0
    !> @param[in]  target    the number of the target memory, from 0
    !> @param[out] elements  their number
    !> @retval DVM_SUCCESS       elements is written
    !> @retval DVM_ERR_ARGUMENT  elements is NULL, or there is no such memory
    !> @retval DVM_ERR_ID        the plan is unknown or has been freed
    !>
    !> Source: added.
    function dvm_redistribution_message(plan, source, target, elements) &
        bind(C, name="dvm_redistribution_message") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_int64_t), value :: source
      integer(c_int64_t), value :: target
      integer(c_int64_t), intent(out) :: elements
      integer(c_int) :: code
    end function dvm_redistribution_message

    !> @brief One strided copy of a plan, as numbers.
    !>
    !> They are: source memory, target memory, place of the first element in the source, in the target, the number of
    !> levels, and for each level its count, source stride and target stride, in elements, the smallest target stride
    !> first.
    !>
    !> @param[in]  plan        the plan
    !> @param[in]  index       which one, from 0 to the figures' descriptors - 1; they are sorted by the place in the
    !>                         target
    !> @param[out] descriptor  the numbers; what it does not need is not written
    !> @param[in]  count       the length of descriptor: 5 + 3 for each level
    !> @retval DVM_SUCCESS       descriptor is written
    !> @retval DVM_ERR_ARGUMENT  descriptor is NULL, count is negative, or there is no such descriptor
    !> @retval DVM_ERR_SIZE      descriptor is too short; dvm_last_error says how long it has to be
    !> @retval DVM_ERR_ID        the plan is unknown or has been freed
    !>
    !> Source: added.
    function dvm_redistribution_descriptor(plan, index, descriptor, count) &
        bind(C, name="dvm_redistribution_descriptor") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_int64_t), value :: index
      integer(c_int64_t), intent(out) :: descriptor(*)
      integer(c_int), value :: count
      integer(c_int) :: code
    end function dvm_redistribution_descriptor

    !> @brief Redistribute some arrays; returns when all elements are where the target wants them.
    !>
    !> All arrays have the plan's shape; their elements may have different sizes. Memories are data, named by their
    !> number in the distribution; the id {0, 0} denotes a memory that holds nothing. Sources that are promises are
    !> waited for. A target is either published already (registered or allocated), and is written in place: nobody else
    !> may read or write it meanwhile; or a promise without a producer, which is published by this call: what is missing
    !> in it is 0, or, when it carries a datum on (dvm_data_next), what that datum held. No reference of the caller is
    !> used up.
    !>
    !> With a plan over processes (DVM_REDISTRIBUTION_COLLECTIVE) each process that has a memory makes the call, and gives the
    !> data of its own memories and {0, 0} for those of others; the k-th call of a process with a plan is one round with the
    !> k-th calls of the others. All give the same number of arrays and sizes of elements. In a process it returns when all
    !> elements have come that this process wants, and nobody reads its memories any more. When it fails in a process, it
    !> fails in those that exchange elements with that one; their targets may then hold some elements of both kinds.
    !>
    !> @param[in] plan     the plan
    !> @param[in] arrays   the number of arrays, 0 or more
    !> @param[in] element  for each array the bytes of an element, 1 to 64
    !> @param[in] source   for each array the ids of all source memories
    !> @param[in] target   for each array the ids of all target memories
    !> @retval DVM_SUCCESS              all elements are there
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL with arrays above 0, arrays is negative, an element size is out
    !>                                  of range, or a target shares memory with a source or another target
    !> @retval DVM_ERR_SIZE             a datum is smaller than what lies in it
    !> @retval DVM_ERR_ID               the plan or a datum is unknown or has been freed
    !> @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
    !> @retval DVM_ERR_STATE            a target is a promise that has a producer, is carried on by a task, or is a
    !>                                  source, too
    !> @retval DVM_ERR_POISONED         a source will never have a value; no target was written, promises are poisoned
    !> @retval DVM_ERR_IN_TASK          called in a task: use dvm_redistribute_start
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !> @retval DVM_ERR_PEER_LOST        over processes: a process is lost that has memories of the plan: no call with this plan
    !>                                  works any more
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Over processes also the error of another process that this one exchanges elements with, DVM_ERR_ARGUMENT if it gives
    !> other arrays, DVM_ERR_ID if it has freed the plan, and DVM_ERR_STATE if the plan was made before dvm_finalize.
    !>
    !> Thread safety: any thread that is no worker, several at once on different targets. Source: added; the second
    !> paper.
    function dvm_redistribute(plan, arrays, element, source, target) &
        bind(C, name="dvm_redistribute") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_int), value :: arrays
      integer(c_size_t), intent(in) :: element(*)
      integer(c_int64_t), intent(in) :: source(2, *)
      integer(c_int64_t), intent(in) :: target(2, *)
      integer(c_int) :: code
    end function dvm_redistribute

    !> @brief Start a redistribution, which goes on beside the program.
    !>
    !> As dvm_redistribute otherwise; it may be called in a task. It is one task of the machine: it takes no worker
    !> before its sources are published, dvm_wait waits for it, and what it publishes can be read by other tasks.
    !>
    !> @param[in]  plan     the plan
    !> @param[in]  arrays   the number of arrays, 0 or more
    !> @param[in]  element  for each array the bytes of an element, 1 to 64
    !> @param[in]  source   for each array the ids of all source memories
    !> @param[in]  target   for each array the ids of all target memories
    !> @param[out] done     the id of a datum of 0 bytes with one reference: published when all elements are there,
    !>                      poisoned when a source is. Wait for it with dvm_data_get, schedule tasks on it, or relax it
    !> @retval DVM_SUCCESS              done is written
    !> @retval DVM_ERR_ARGUMENT         done is NULL, or as in dvm_redistribute
    !> @retval DVM_ERR_SIZE             a datum is smaller than what lies in it
    !> @retval DVM_ERR_ID               the plan or a datum is unknown or has been freed
    !> @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
    !> @retval DVM_ERR_STATE            a target is a promise that has a producer, is carried on by a task, or is a
    !>                                  source, too
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
    !>
    !> Thread safety: any thread, any task, several at once on different targets. Source: added; the second paper.
    function dvm_redistribute_start(plan, arrays, element, source, target, done) &
        bind(C, name="dvm_redistribute_start") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_int), value :: arrays
      integer(c_size_t), intent(in) :: element(*)
      integer(c_int64_t), intent(in) :: source(2, *)
      integer(c_int64_t), intent(in) :: target(2, *)
      integer(c_int64_t), intent(out) :: done(2)
      integer(c_int) :: code
    end function dvm_redistribute_start

    !> @brief What other processes have sent this one in the rounds of a plan so far.
    !>
    !> @param[in]  plan      the plan
    !> @param[out] messages  the messages: in each round one of each process that has elements for this one
    !> @param[out] bytes     the bytes of the elements in them
    !> @retval DVM_SUCCESS       messages and bytes are written; both are 0 for a plan inside a process
    !> @retval DVM_ERR_ARGUMENT  messages or bytes is NULL
    !> @retval DVM_ERR_ID        the plan is unknown or has been freed
    !>
    !> Source: added.
    function dvm_redistribution_received(plan, messages, bytes) &
        bind(C, name="dvm_redistribution_received") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_int64_t), intent(out) :: messages
      integer(c_int64_t), intent(out) :: bytes
      integer(c_int) :: code
    end function dvm_redistribution_received

    !> @brief Free a plan. Redistributions under way end as if it were there.
    !>
    !> Not collective: rounds of it that other processes begin afterwards fail there.
    !>
    !> @param[in] plan  the plan
    !> @retval DVM_SUCCESS  its handle is stale now
    !> @retval DVM_ERR_ID   the plan is unknown or has been freed
    !>
    !> Source: added.
    function dvm_redistribution_free(plan) &
        bind(C, name="dvm_redistribution_free") result(code)
      import
      type(dvm_redistribution_t), value :: plan
      integer(c_int) :: code
    end function dvm_redistribution_free

    ! ----- Strided copies one by one: what `dvm_dma.h` calls -----
    ! Unless a function says otherwise:
    ! Thread safety: any thread, any task; one at a time per engine.
    ! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

    !> @brief Make an engine of strided copies between some source and some target memories.
    !>
    !> @param[out] dma      the handle of the new engine
    !> @param[in]  element  the bytes of an element, 1 to 64
    !> @param[in]  source   the ids of the source memories; {0, 0}: one that is not used
    !> @param[in]  sources  their number
    !> @param[in]  target   the ids of the target memories; {0, 0}: one that is not used. A target shares no memory with
    !>                      another one or with a source
    !> @param[in]  targets  their number
    !> @retval DVM_SUCCESS              dma is written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, a count is negative, or element is out of range
    !> @retval DVM_ERR_ID               a datum is unknown or has been freed
    !> @retval DVM_ERR_NOT_READY        a target is a promise
    !>
    !> Thread safety: any thread, any task. Source: added; the second paper, Figure 7.
    function dvm_dma_open(dma, element, source, sources, target, targets) &
        bind(C, name="dvm_dma_open") result(code)
      import
      type(dvm_dma_t), intent(out) :: dma
      integer(c_size_t), value :: element
      integer(c_int64_t), intent(in) :: source(2, *)
      integer(c_int64_t), value :: sources
      integer(c_int64_t), intent(in) :: target(2, *)
      integer(c_int64_t), value :: targets
      integer(c_int) :: code
    end function dvm_dma_open

    !> @brief Make an engine of strided copies between memories of several processes.
    !>
    !> Each process of the job makes the same engine, lists the same copies in the same order (sends and receives of all
    !> memories, as code of `dvm-codegen redist c` does), and gives the data of its own memories and {0, 0} for those of others.
    !> The copies are made in dvm_dma_wait, which is collective: all processes call it, as often as each other, and in the same
    !> order as they make plans over processes. If one of them has listed something else, or fails, all get an error.
    !>
    !> @param[out] dma             the handle of the new engine
    !> @param[in]  element         the bytes of an element, 1 to 64
    !> @param[in]  source          the ids of the source memories
    !> @param[in]  source_process  for each of them the index of its process
    !> @param[in]  sources         their number
    !> @param[in]  target          the ids of the target memories. A target shares no memory with another one or with a source
    !> @param[in]  target_process  for each of them the index of its process
    !> @param[in]  targets         their number
    !> @retval DVM_SUCCESS              dma is written
    !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, a count is negative, element is out of range, there is no such
    !>                                  process, or a memory of another process is not {0, 0}
    !> @retval DVM_ERR_ID               a datum is unknown or has been freed
    !> @retval DVM_ERR_NOT_READY        a target is a promise
    !>
    !> Thread safety: any thread, any task. Source: added; the second paper, Figure 7.
    function dvm_dma_open_over(dma, element, source, source_process, sources, target, target_process, targets) &
        bind(C, name="dvm_dma_open_over") result(code)
      import
      type(dvm_dma_t), intent(out) :: dma
      integer(c_size_t), value :: element
      integer(c_int64_t), intent(in) :: source(2, *)
      integer(c_int64_t), intent(in) :: source_process(*)
      integer(c_int64_t), value :: sources
      integer(c_int64_t), intent(in) :: target(2, *)
      integer(c_int64_t), intent(in) :: target_process(*)
      integer(c_int64_t), value :: targets
      integer(c_int) :: code
    end function dvm_dma_open_over

    !> @brief The source side of a strided copy in one dimension; the next receive is its target side.
    !>
    !> @param[in] dma     the engine
    !> @param[in] memory  the number of the source memory, from 0
    !> @param[in] offset  the place of the first element, in elements
    !> @param[in] count   how many elements, positive
    !> @param[in] stride  how far apart they are, in elements
    !> @retval DVM_SUCCESS              the copy waits for its receive
    !> @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
    !> @retval DVM_ERR_SIZE             a place is outside of the memory
    !> @retval DVM_ERR_STATE            the send before has no receive
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed
    !>
    !> The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_send(dma, memory, offset, count, stride) &
        bind(C, name="dvm_dma_send") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int64_t), value :: memory
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      integer(c_int) :: code
    end function dvm_dma_send

    !> @brief The source side of a strided copy in two dimensions; the next receive is its target side.
    !>
    !> @param[in] dma      the engine
    !> @param[in] memory   the number of the source memory, from 0
    !> @param[in] offset   the place of the first element, in elements
    !> @param[in] count    how many elements, positive
    !> @param[in] stride   how far apart they are, in elements
    !> @param[in] count2   how many times that, positive
    !> @param[in] stride2  how far apart these are
    !> @retval DVM_SUCCESS              the copy waits for its receive
    !> @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
    !> @retval DVM_ERR_SIZE             a place is outside of the memory
    !> @retval DVM_ERR_STATE            the send before has no receive
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed
    !>
    !> The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_send_2d(dma, memory, offset, count, stride, count2, stride2) &
        bind(C, name="dvm_dma_send_2d") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int64_t), value :: memory
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      integer(c_int64_t), value :: count2
      integer(c_int64_t), value :: stride2
      integer(c_int) :: code
    end function dvm_dma_send_2d

    !> @brief The source side of a strided copy in three dimensions; the next receive is its target side.
    !>
    !> @param[in] dma      the engine
    !> @param[in] memory   the number of the source memory, from 0
    !> @param[in] offset   the place of the first element, in elements
    !> @param[in] count    how many elements, positive
    !> @param[in] stride   how far apart they are, in elements
    !> @param[in] count2   how many times that, positive
    !> @param[in] stride2  how far apart these are
    !> @param[in] count3   how many times that, positive
    !> @param[in] stride3  how far apart these are
    !> @retval DVM_SUCCESS              the copy waits for its receive
    !> @retval DVM_ERR_ARGUMENT         there is no such memory, or a count is not positive
    !> @retval DVM_ERR_SIZE             a place is outside of the memory
    !> @retval DVM_ERR_STATE            the send before has no receive
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed
    !>
    !> The next dvm_dma_wait returns the error, too; copies after the failed call are not made.
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_send_3d(dma, memory, offset, count, stride, count2, stride2, count3, stride3) &
        bind(C, name="dvm_dma_send_3d") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int64_t), value :: memory
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      integer(c_int64_t), value :: count2
      integer(c_int64_t), value :: stride2
      integer(c_int64_t), value :: count3
      integer(c_int64_t), value :: stride3
      integer(c_int) :: code
    end function dvm_dma_send_3d

    !> @brief The target side, in one dimension, of the copy that the last send began. Copies run in any order, also at
    !> the same time.
    !>
    !> @param[in] dma     the engine
    !> @param[in] memory  the number of the target memory, from 0
    !> @param[in] offset  the place of the first element, in elements
    !> @param[in] count   how many elements, positive
    !> @param[in] stride  how far apart they are, in elements
    !> @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
    !> @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
    !>                                  to one place because a stride is 0; a target shares memory with a source or
    !>                                  another target
    !> @retval DVM_ERR_SIZE             a place is outside of the memory
    !> @retval DVM_ERR_STATE            there was no send
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
    !> @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
    !> @retval DVM_ERR_POISONED         in a task: a source will never have a value
    !> @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !>
    !> The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
    !> two waits may have one place of a target.
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_receive(dma, memory, offset, count, stride) &
        bind(C, name="dvm_dma_receive") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int64_t), value :: memory
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      integer(c_int) :: code
    end function dvm_dma_receive

    !> @brief The target side, in two dimensions, of the copy that the last send began. Copies run in any order, also at
    !> the same time.
    !>
    !> @param[in] dma      the engine
    !> @param[in] memory   the number of the target memory, from 0
    !> @param[in] offset   the place of the first element, in elements
    !> @param[in] count    how many elements, positive
    !> @param[in] stride   how far apart they are, in elements
    !> @param[in] count2   how many times that, positive
    !> @param[in] stride2  how far apart these are
    !> @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
    !> @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
    !>                                  to one place because a stride is 0; a target shares memory with a source or
    !>                                  another target
    !> @retval DVM_ERR_SIZE             a place is outside of the memory
    !> @retval DVM_ERR_STATE            there was no send
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
    !> @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
    !> @retval DVM_ERR_POISONED         in a task: a source will never have a value
    !> @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !>
    !> The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
    !> two waits may have one place of a target.
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_receive_2d(dma, memory, offset, count, stride, count2, stride2) &
        bind(C, name="dvm_dma_receive_2d") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int64_t), value :: memory
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      integer(c_int64_t), value :: count2
      integer(c_int64_t), value :: stride2
      integer(c_int) :: code
    end function dvm_dma_receive_2d

    !> @brief The target side, in three dimensions, of the copy that the last send began. Copies run in any order, also
    !> at the same time.
    !>
    !> @param[in] dma      the engine
    !> @param[in] memory   the number of the target memory, from 0
    !> @param[in] offset   the place of the first element, in elements
    !> @param[in] count    how many elements, positive
    !> @param[in] stride   how far apart they are, in elements
    !> @param[in] count2   how many times that, positive
    !> @param[in] stride2  how far apart these are
    !> @param[in] count3   how many times that, positive
    !> @param[in] stride3  how far apart these are
    !> @retval DVM_SUCCESS              the copy is under way, or will be at dvm_dma_wait
    !> @retval DVM_ERR_ARGUMENT         there is no such memory, a count is not that of the send, or several elements go
    !>                                  to one place because a stride is 0; a target shares memory with a source or
    !>                                  another target
    !> @retval DVM_ERR_SIZE             a place is outside of the memory
    !> @retval DVM_ERR_STATE            there was no send
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
    !> @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
    !> @retval DVM_ERR_POISONED         in a task: a source will never have a value
    !> @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !>
    !> The next dvm_dma_wait returns the error, too; copies after the failed call are not made. No two copies between
    !> two waits may have one place of a target.
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_receive_3d(dma, memory, offset, count, stride, count2, stride2, count3, stride3) &
        bind(C, name="dvm_dma_receive_3d") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int64_t), value :: memory
      integer(c_int64_t), value :: offset
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      integer(c_int64_t), value :: count2
      integer(c_int64_t), value :: stride2
      integer(c_int64_t), value :: count3
      integer(c_int64_t), value :: stride3
      integer(c_int) :: code
    end function dvm_dma_receive_3d

    !> @brief Wait for all copies so far.
    !>
    !> In a task the copies are made before a receive or this call returns. For an engine over processes
    !> (dvm_dma_open_over) the call is collective and not allowed in a task; its errors are then also those of
    !> dvm_redistribution_plan and dvm_redistribute over processes.
    !>
    !> @param[in] dma  the engine
    !> @retval DVM_SUCCESS              all copies are made
    !> @retval DVM_ERR_STATE            a send has no receive, or a receive had no send
    !> @retval DVM_ERR_POISONED         a source will never have a value: its copies were not made
    !> @retval DVM_ERR_IN_TASK          called in a task after copies were started outside of it
    !> @retval DVM_ERR_ARGUMENT         a send or receive since the last wait said so, or memories overlap
    !> @retval DVM_ERR_SIZE             a send or receive since the last wait said so
    !> @retval DVM_ERR_NOT_READY        in a task: a source is not published yet
    !> @retval DVM_ERR_NO_REFERENCE     all references of a datum are taken by tasks that are already scheduled
    !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed, or a datum has been freed
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_wait(dma) &
        bind(C, name="dvm_dma_wait") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int) :: code
    end function dvm_dma_wait

    !> @brief Wait for all copies so far and close the engine.
    !>
    !> @param[in] dma  the engine
    !> @retval DVM_SUCCESS              all copies are made; its handle is stale now
    !> @retval DVM_ERR_ID               the engine is unknown or has been closed
    !> @retval DVM_ERR_IN_TASK          called in a task after copies were started outside of it: the engine stays open
    !> @retval DVM_ERR_STATE            as dvm_dma_wait; the engine is closed
    !> @retval DVM_ERR_POISONED         as dvm_dma_wait; the engine is closed
    !> @retval DVM_ERR_ARGUMENT         as dvm_dma_wait; the engine is closed
    !> @retval DVM_ERR_SIZE             as dvm_dma_wait; the engine is closed
    !> @retval DVM_ERR_NOT_READY        as dvm_dma_wait; the engine is closed
    !> @retval DVM_ERR_NO_REFERENCE     as dvm_dma_wait; the engine is closed
    !> @retval DVM_ERR_MEMORY           as dvm_dma_wait; the engine is closed
    !>
    !> Source: added; the second paper, Figure 7.
    function dvm_dma_close(dma) &
        bind(C, name="dvm_dma_close") result(code)
      import
      type(dvm_dma_t), value :: dma
      integer(c_int) :: code
    end function dvm_dma_close

    ! ----- Errors in words -----

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

  !> @brief Name a datum for people: error messages, dvm_explain and the hang report say the name beside the id.
  !>
  !> By the process that made the datum. A promise by which that process carries the datum on (dvm_data_next, DVM_INOUT) is
  !> called the same unless it is named itself. Data without a name cost nothing.
  !>
  !> @param[in] id    the datum
  !> @param[in] name  a short text, copied, or NULL to take the name away
  !> @retval DVM_SUCCESS              the datum has the name
  !> @retval DVM_ERR_ARGUMENT         id is NULL
  !> @retval DVM_ERR_ID               the datum is unknown or has been freed
  !> @retval DVM_ERR_STATE            another process has made the datum
  !> @retval DVM_ERR_MEMORY           no memory for the name
  !>
  !> Source: added to the report's interface.
  function dvm_data_name(id, name) result(code)
    integer(c_int64_t), intent(in) :: id(2)
    character(len=*), intent(in) :: name
    integer(c_int) :: code
    code = c_dvm_data_name(id, name//c_null_char)
  end function dvm_data_name

  !> @brief Register a function, so that tasks can run it.
  !>
  !> The function is called with exactly number_of_args arguments, each a dvm_data_id_t (a pointer to two numbers that
  !> is good until the task ends), and returns an int: 0 for success; anything else fails the task and poisons its
  !> outputs. It is called by the worker threads, several at a time. All arguments are inputs, unless
  !> dvm_processing_access says otherwise.
  !>
  !> Tasks of the processing may run in any process of the job, whichever process registers it. A process finds the function
  !> by its place in the program or in the shared object that it lies in, if it has loaded the same build of it (the
  !> build-id, which linkers write with -Wl,--build-id), else by its name, if it was registered by that. No code is sent.
  !> If it finds none, the tasks that come to it fail, and the wait says what to do. The id may be used by any process; one
  !> that does not know it asks the process that registered it, and that first call waits for the answer.
  !>
  !> @param[in]  callback        the function; in C++ and C23 cast it with DVM_CALLBACK
  !> @param[in]  number_of_args  0 to DVM_MAX_PLAIN_ARGUMENTS
  !> @param[in]  description     a short description for messages, copied; may be NULL
  !> @param[out] id              the id of the new processing
  !> @retval DVM_SUCCESS              id is written
  !> @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is out of range
  !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
  !>
  !> Source: report, section 4.2.4, processing.
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
  !> @retval DVM_ERR_SYMBOL           the running program has no such dynamic symbol, or it is data and no function
  !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
  !>
  !> Source: report, section 4.2.4, processing.
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
  !>                             processing is unregistered and its last task has ended; an address of this process:
  !>                             tasks that run in another one get the number and may not use it as an address
  !> @param[in]  number_of_args  0 or more
  !> @param[in]  description     a short description for messages, copied; may be NULL
  !> @param[out] id              the id of the new processing
  !> @retval DVM_SUCCESS              id is written
  !> @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is negative
  !> @retval DVM_ERR_MEMORY           no memory for the bookkeeping
  !>
  !> Source: added to the report's interface.
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
  !> @param[in,out] ids   the ids of its data, count entries, of which those that it updates (DVM_INOUT) are written; may be
  !>                      NULL when count is 0
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
  !> @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
  !>
  !> Source: added to the report's interface.
  function dvm_sched_onto(rank, processing, ids) result(code)
    integer(c_int64_t), intent(in) :: rank(DVM_MAX_RANK_DEPTH)
    integer(c_int64_t), intent(in) :: processing(2)
    integer(c_int64_t), intent(inout), contiguous, optional :: ids(:, :)
    integer(c_int) :: code
    integer(c_int64_t) :: none(2, 0)
    if (present(ids)) then
      code = c_dvm_sched_onto_v(rank, processing, ids, size(ids, 2, kind=c_int))
    else
      code = c_dvm_sched_onto_v(rank, processing, none, 0_c_int)
    end if
  end function dvm_sched_onto

  !> @brief Run a processing near its data.
  !>
  !> The processing unit is the one that holds most of the input bytes; when they are spread, the one closest to their
  !> weighted barycentre. It is chosen when the inputs are published. Idle processing units may steal the task, nearest
  !> first. Otherwise as dvm_sched_onto_v.
  !>
  !> Over processes the task goes to the process that has most of the input bytes, and no other process steals it from
  !> there; if none has more than another, it stays.
  !>
  !> Of the near tasks of a processing unit the newest runs first, but none waits for ever: when n near tasks are ready on
  !> it, each of them, stolen or not, begins before 256 * (n + 2) further tasks have begun there, however many are scheduled
  !> meanwhile. Likewise the first of the placed tasks begins before 256 further tasks have begun, and each parameterised
  !> graph is looked after once per 64. (DVM_SEED, which draws orders, is apart.)
  !>
  !> @param[in] processing the processing
  !> @param[in,out] ids   the ids of its data, count entries, of which those that it updates (DVM_INOUT) are written; may be
  !>                      NULL when count is 0
  !> @retval DVM_SUCCESS              the task is scheduled
  !> @retval DVM_ERR_ARGUMENT         a pointer is NULL, or count is not the processing's number of arguments
  !> @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
  !> @retval DVM_ERR_ID               a datum is unknown or has been freed
  !> @retval DVM_ERR_NO_REFERENCE     all references of an input are taken
  !> @retval DVM_ERR_STATE            an output is published, has a producer, or is an input as well; or it carries on a
  !>                                  datum (dvm_data_next) that is no input
  !> @retval DVM_ERR_POISONED         an output was poisoned
  !> @retval DVM_ERR_MEMORY           no memory for the task
  !> @retval DVM_ERR_PEER_LOST        the process of the rank, or the home of a datum, is lost
  !>
  !> Source: added to the report's interface, after its section 5.5.
  function dvm_sched_near(processing, ids) result(code)
    integer(c_int64_t), intent(in) :: processing(2)
    integer(c_int64_t), intent(inout), contiguous, optional :: ids(:, :)
    integer(c_int) :: code
    integer(c_int64_t) :: none(2, 0)
    if (present(ids)) then
      code = c_dvm_sched_near(processing, ids, size(ids, 2, kind=c_int))
    else
      code = c_dvm_sched_near(processing, none, 0_c_int)
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
  !> @retval DVM_ERR_TASK             footprint threw, or left by pthread_exit
  !> @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
  !>
  !> Source: added to the report's interface.
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

  !> @brief Make a distribution of a text: the text form, or the JSON form when it begins with a brace.
  !>
  !> The text form has a line for each dimension, "t = offset", followed by a line for each of its variables,
  !> "+ coef*name arch|data level lower .. upper"; a last line "layout name, name" lists the data variables, slowest
  !> first. Bounds may use other variables and parameters: "max(0, -8*p) .. min(7, (99 - 8*p)/2)". A semicolon ends a
  !> line, too.
  !>
  !> @param[in]  text          the distribution
  !> @param[in]  parameters    values of the names that the text uses and does not declare, as "N=100, P=4"; may be
  !>                           NULL
  !> @param[out] distribution  the handle of the new distribution
  !> @retval DVM_SUCCESS       distribution is written
  !> @retval DVM_ERR_ARGUMENT  text or distribution is NULL, the text is not understood, uses unknown names or bounds
  !>                           that refer to each other in a circle, or its numbers exceed 2^62: dvm_last_error names
  !>                           the place
  !>
  !> Source: added; the second paper's definition of a distribution.
  function dvm_distribution_parse(text, parameters, distribution) result(code)
    character(len=*), intent(in) :: text
    character(len=*), intent(in) :: parameters
    type(dvm_distribution_t), intent(out) :: distribution
    integer(c_int) :: code
    code = c_dvm_distribution_parse(text//c_null_char, parameters//c_null_char, distribution)
  end function dvm_distribution_parse

  !> @brief The meaning of a code, in words.
  !>
  !> @param[in] code  any number; for one that is no code the text says so
  !> @return a text that stays valid while the program runs, never NULL; the caller does not free it
  !>
  !> Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
  !> Source: added to the report's interface.
  function dvm_strerror(code) result(text)
    integer(c_int), value :: code
    character(len=:), allocatable :: text
    text = text_of(c_dvm_strerror(code))
  end function dvm_strerror

  !> @brief The message of the calling thread's last failing call: what, where, why and what to do.
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
