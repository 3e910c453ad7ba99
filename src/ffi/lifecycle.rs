//! Starting, waiting and ending.
//!
//! # For every function
//! Thread safety: one thread at a time, no task.

use std::ffi::c_int;

use super::{Arg, dvm_retcode_t, guard};
use crate::engine;
use crate::explain;
use crate::remote;

/// @brief Start libdvm: look at the machine and start one worker thread per processing unit.
///
/// Collective over the processes of the job. After dvm_finalize it may be called again; ids are not given again.
/// When libdvm was started on behalf of generated code, the call succeeds and the caller becomes responsible for
/// dvm_finalize.
///
/// @retval DVM_SUCCESS                  libdvm is running
/// @retval DVM_ERR_ALREADY_INITIALIZED  it was running already
/// @retval DVM_ERR_IN_TASK              called inside a task or a free callback
/// @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
/// @retval DVM_ERR_ARGUMENT             an environment variable of libdvm has a value that is not understood
/// @retval DVM_ERR_MEMORY               the threads could not be started
/// @retval DVM_ERR_UNSUPPORTED          the machine's topology cannot be read, or this process was forked while libdvm was
///                                      running: the workers stayed in the parent, and every other call answers
///                                      DVM_ERR_NOT_INITIALIZED here
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_init() -> dvm_retcode_t {
    guard::guarded("dvm_init", || {
        remote::init()?;
        explain::begin().inspect_err(|_| {
            let _ = engine::finalize();
        })
    })
}

/// @brief Start libdvm beside an MPI program, on the processes of one of its communicators.
///
/// This version runs in one process: the call answers DVM_ERR_UNSUPPORTED and starts nothing.
///
/// @param[in] fortran_comm  the communicator as MPI_Comm_c2f gives it
/// @retval DVM_ERR_UNSUPPORTED          this version has no transport for MPI: use dvm_init
/// @retval DVM_ERR_ALREADY_INITIALIZED  libdvm is running already
/// @retval DVM_ERR_IN_TASK              called inside a task or a free callback
/// @retval DVM_ERR_STATE                another thread is in init, wait, serve or finalize
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_init_comm(fortran_comm: c_int) -> dvm_retcode_t {
    guard::guarded("dvm_init_comm", || remote::init_comm(fortran_comm))
}

/// @brief Wait for all tasks, end libdvm, and free all data that are left, calling their free callbacks.
///
/// Collective. Threads outside tasks are refused first: as soon as the call has begun, whatever makes something new
/// (scheduling, register, allocate, promise, next, graphs, redistributions) answers them DVM_ERR_NOT_INITIALIZED, and so
/// does every call of theirs once all tasks have ended. Until then they may publish, get and put. Tasks may go on scheduling,
/// and the call returns when no task can run any more: tasks that schedule for ever put it off for ever.
/// Tasks that wait for data which nobody has published are cancelled then. Memory obtained by dvm_data_get is
/// gone afterwards, also when it was not put. The codes DVM_ERR_TASK and DVM_ERR_STATE (the first meaning) report
/// what went wrong before; libdvm has ended all the same.
///
/// @retval DVM_SUCCESS              libdvm has ended
/// @retval DVM_ERR_TASK             libdvm has ended; tasks had failed and no wait had reported it
/// @retval DVM_ERR_STATE            libdvm has ended; tasks waited for data that nobody published and were cancelled.
///                                  Or: another thread is in init, wait, serve or finalize, and nothing was done
/// @retval DVM_ERR_ARGUMENT         libdvm has ended; the file of DVM_TRACE or of DVM_DOT could not be written
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
/// Collective. The caller sleeps. Failures of tasks since the last wait are reported once, here. A task that was only
/// cancelled, because of a failure that was reported before, is no failure of its own.
///
/// @retval DVM_SUCCESS              all tasks have ended, none has failed since the last wait
/// @retval DVM_ERR_TASK             all tasks have ended, some have failed: dvm_last_error names processings and codes
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
/// This version runs in one process, which is process 0: the call answers DVM_ERR_UNSUPPORTED.
///
/// @retval DVM_ERR_UNSUPPORTED      process 0 does not serve: it calls dvm_wait and dvm_finalize
/// @retval DVM_ERR_NOT_INITIALIZED  libdvm is not running
/// @retval DVM_ERR_IN_TASK          called inside a task or a free callback
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_serve() -> dvm_retcode_t {
    guard::guarded("dvm_serve", engine::serve)
}

/// @brief Which process of the job this is, and how many there are.
///
/// @param[out] index  the calling process, from 0
/// @param[out] count  the number of processes
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
