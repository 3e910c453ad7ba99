//! Starting, waiting and ending.
//!
//! # For every function
//! Thread safety: one thread at a time, no task.

use std::ffi::c_int;

use super::{Arg, dvm_retcode_t, guard};
use crate::across::{self, ProgramPart};
use crate::engine;
use crate::explain;
use crate::remote;

/// @brief Start libdvm: look at the machine and start one worker thread per processing unit.
///
/// Collective over the processes of the job: those that dvmrun has started; else those of MPI_COMM_WORLD, if the program
/// has initialised MPI, or a launcher such as mpirun has started several processes; else this process alone.
/// DVM_TRANSPORT decides otherwise, and `dvm-info --transports` tells. The processes of a host share its processing units
/// out between them. After dvm_finalize the function may be called again, in all processes and over the same
/// connections; ids are not given again. When libdvm was started on behalf of generated code, the call succeeds and the
/// caller becomes responsible for dvm_finalize; the process stays alone then, unless the regions of the program run on
/// several processes (clause `across`).
///
/// If MPI was initialised below MPI_THREAD_MULTIPLE, and processes are reached by MPI, only the thread that calls
/// dvm_init makes calls of MPI, inside dvm_wait, dvm_serve and dvm_finalize.
///
/// @retval DVM_SUCCESS                  libdvm is running
/// @retval DVM_ERR_ALREADY_INITIALIZED  it was running already
/// @retval DVM_ERR_IN_TASK              called inside a task or a free callback
/// @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
/// @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
/// @retval DVM_ERR_MEMORY               the threads could not be started
/// @retval DVM_ERR_PEER_LOST            another process has ended meanwhile
/// @retval DVM_ERR_UNSUPPORTED          the machine's topology cannot be read; or several processes were started and there
///                                      is no way to reach them, such as no plugin for their MPI: no process is silently
///                                      alone; or two processes have different builds of libdvm; or this process was
///                                      forked while libdvm was running: the workers stayed in the parent, and every
///                                      other call answers DVM_ERR_NOT_INITIALIZED here; or a region with the clause
///                                      `across` has run before on several processes, which do not run main
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_init() -> dvm_retcode_t {
    guard::guarded("dvm_init", || {
        across::refuse_late_init()?;
        remote::init()?;
        if across::part() != ProgramPart::Equal {
            return across::becomes_equal(&engine::enter()?);
        }
        explain::begin().inspect_err(|_| {
            let _ = engine::finalize();
        })
    })
}

/// @brief Start libdvm beside an MPI program, on the processes of one of its communicators.
///
/// Collective over the communicator's processes; the others of the program go on without libdvm. As dvm_init otherwise.
/// libdvm duplicates the communicator, so its messages meet none of the program's, and the program may free the
/// communicator afterwards. libdvm does not finalize the MPI of a program: call dvm_finalize before MPI_Finalize.
/// In C, dvm_init_mpi of dvm_mpi.h takes an MPI_Comm; in Fortran, a communicator of module mpi is the number itself, and
/// one of module mpi_f08 has it in MPI_VAL.
///
/// @param[in] fortran_comm  the communicator as MPI_Comm_c2f gives it
/// @retval DVM_SUCCESS                  libdvm is running
/// @retval DVM_ERR_ALREADY_INITIALIZED  libdvm is running already
/// @retval DVM_ERR_IN_TASK              called inside a task or a free callback
/// @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize; or MPI is not initialised, or
///                                      has been finalized
/// @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
/// @retval DVM_ERR_MEMORY               the threads could not be started
/// @retval DVM_ERR_PEER_LOST            another process has ended meanwhile
/// @retval DVM_ERR_UNSUPPORTED          the program has no MPI, there is no plugin for it, or the communicator is not one
///                                      of it; or what dvm_init tells by this code
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_init_comm(fortran_comm: c_int) -> dvm_retcode_t {
    guard::guarded("dvm_init_comm", || {
        remote::init_comm(fortran_comm)?;
        explain::begin().inspect_err(|_| {
            let _ = engine::finalize();
        })
    })
}

/// @brief Wait for all tasks, end libdvm, and free all data that are left, calling their free callbacks.
///
/// Collective: it returns when no task can run in any process, and nothing is under way between them; all processes call
/// it, also those that have served. Threads outside tasks are refused first: as soon as the call has begun, whatever makes
/// something new (scheduling, register, allocate, promise, next, graphs, redistributions) answers them
/// DVM_ERR_NOT_INITIALIZED, and so does every call of theirs once all tasks have ended. Until then they may publish, get and
/// put. Tasks may go on scheduling, and the call returns when no task can run any more: tasks that schedule for ever put it
/// off for ever.
/// Tasks that wait for data which nobody has published are cancelled then. Memory obtained by dvm_data_get is
/// gone afterwards, also when it was not put. The codes DVM_ERR_TASK and DVM_ERR_STATE (the first meaning) report
/// what went wrong before; libdvm has ended all the same. So it has after a loss of a process, which is told once by a
/// wait, or here.
///
/// @retval DVM_SUCCESS              libdvm has ended
/// @retval DVM_ERR_TASK             libdvm has ended; tasks had failed and no wait had reported it
/// @retval DVM_ERR_STATE            libdvm has ended; tasks waited for data that nobody published and were cancelled.
///                                  Or: another thread is in init, wait, serve or finalize, and nothing was done
/// @retval DVM_ERR_ARGUMENT         libdvm has ended; the file of DVM_TRACE, DVM_DOT or DVM_PROFILE could not be written
/// @retval DVM_ERR_PEER_LOST        libdvm has ended; a process was lost and no wait had reported it, or the job had ended
///                                  by the loss of process 0
/// @retval DVM_ERR_NOT_INITIALIZED  it was not running
/// @retval DVM_ERR_IN_TASK          called inside a task or a free callback
///
/// Thread safety: one thread at a time (others get DVM_ERR_STATE, or DVM_ERR_NOT_INITIALIZED once it has ended), no task.
/// Calls that other threads make meanwhile are safe and find libdvm running or not. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_finalize() -> dvm_retcode_t {
    guard::guarded("dvm_finalize", || {
        let result = engine::finalize();
        if !engine::running() && !engine::forked::is_orphan() {
            explain::end();
        }
        result
    })
}

/// @brief Wait until every scheduled task has ended, in all processes.
///
/// Collective: a process that serves takes part by that. The caller sleeps, or passes messages on. All processes get the
/// same verdict; of several failures the message is that of the lowest process. After a loss of a process the call
/// returns all the same: what only that process had is poisoned, and its tasks have failed. Failures of tasks since the
/// last wait are reported once, here. A task that was only cancelled, because of a failure that was reported before, is no
/// failure of its own.
///
/// @retval DVM_SUCCESS              all tasks have ended, none has failed since the last wait
/// @retval DVM_ERR_TASK             all tasks have ended, some have failed, in any process: dvm_last_error names processings,
///                                  codes and data
/// @retval DVM_ERR_PEER_LOST        a process was lost since the last wait, told once: dvm_last_error names it. Or process 0
///                                  is lost, or has declared this process lost: the job has ended
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
/// @retval DVM_ERR_IN_TASK          called inside a task or a free callback
/// @retval DVM_ERR_STATE            another thread is in init, wait, serve or finalize
///
/// Thread safety: one thread at a time, no task; other threads may schedule and publish meanwhile.
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_wait() -> dvm_retcode_t {
    guard::guarded("dvm_wait", engine::wait)
}

/// @brief Work until process 0 finalizes: for the processes of a job that run no program of their own.
///
/// Collective: it returns when process 0 has called dvm_finalize and no task can run any more; dvm_finalize is to follow.
/// Meanwhile the process runs tasks, keeps data, and takes part in each dvm_wait of the others.
///
/// @retval DVM_SUCCESS              process 0 finalizes; nothing has failed since the last wait
/// @retval DVM_ERR_TASK             process 0 finalizes; tasks had failed and no wait had reported it
/// @retval DVM_ERR_PEER_LOST        a process was lost, told once; or process 0 is lost, or has declared this process lost
/// @retval DVM_ERR_UNSUPPORTED      this is process 0, which does not serve: it calls dvm_wait and dvm_finalize
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
/// @retval DVM_ERR_IN_TASK          called inside a task or a free callback
/// @retval DVM_ERR_STATE            another thread is in init, wait, serve or finalize
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_serve() -> dvm_retcode_t {
    guard::guarded("dvm_serve", engine::serve)
}

/// @brief Which process of the job this is, and how many there are.
///
/// The indices are those of dvmrun, or the ranks of the communicator that the job was made from. They do not change
/// when a process is lost.
///
/// @param[out] index  the calling process, from 0
/// @param[out] count  the number of processes, 1 for a process that is alone
/// @retval DVM_SUCCESS              both are written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
///
/// Thread safety: any thread, any task. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_process(index: Arg<*mut u64>, count: Arg<*mut u64>) -> dvm_retcode_t {
    guard::running("dvm_process", |call| {
        let (index, count) = (index.result("index")?, count.result("count")?);
        let (me, processes) = call.process();
        index.write(me);
        count.write(processes);
        Ok(())
    })
}
