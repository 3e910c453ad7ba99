//! Tasks that block, and tasks that use several cores.
//!
//! # For every function
//! Thread safety: any task, on the thread that libdvm called it on.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

use std::ffi::c_int;

use super::{ConstProcIdArg, dvm_retcode_t, guard};
use crate::error::Error;
use crate::processing::REGISTRY;

/// @brief Say that this task is about to wait for something outside libdvm: a message, a file, a lock.
///
/// Until dvm_blocking_end another thread runs tasks on this processing unit in its place: a spare one, or a new one.
/// There is no limit to the number of tasks that block at once but the system's for threads. All other calls stay
/// allowed, and do what they do in a task. A section that the task leaves open ends with the task. In a tile that runs
/// on the program's own thread the call succeeds and does nothing.
///
/// @retval DVM_SUCCESS              the section has begun
/// @retval DVM_ERR_STATE            not called in a task or tile, or in a graph's predecessors function, or the task is in
///                                  a section already
/// @retval DVM_ERR_MEMORY           no thread could be started; the task may block all the same, and holds its processing
///                                  unit meanwhile
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_blocking_begin() -> dvm_retcode_t {
    guard::running("dvm_blocking_begin", crate::engine::Call::blocking_begin)
}

/// @brief Say that this task has waited, and goes on computing.
///
/// The call returns when the task that runs in its place has ended: a processing unit runs one task at a time. A task of
/// several cores gets them again, too. Once per 64 sections that end on a processing unit a ready task goes first: tasks that
/// begin sections again and again keep no other one waiting.
///
/// @retval DVM_SUCCESS              the section has ended
/// @retval DVM_ERR_STATE            not called in a task or tile, or the task is in no section
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_blocking_end() -> dvm_retcode_t {
    guard::running("dvm_blocking_end", crate::engine::Call::blocking_end)
}

/// @brief Say how many processing units each task of a processing needs for itself: the one that it runs on, and its
/// nearest neighbours.
///
/// Before the first task of the processing. The neighbours have ended their tasks before the callback starts, and start
/// no others until it has ended; when there are fewer, all of them stand still. Meanwhile the callback's thread may run
/// on the processing units of all workers, and so may threads that it starts, of OpenMP for instance; how many it starts
/// is for the callback to say. Such tasks are served in the order in which they get to run. In a blocking section the
/// task has no processing unit at all.
///
/// @param[in] id     the processing
/// @param[in] cores  how many, from 1
/// @retval DVM_SUCCESS              the number is set
/// @retval DVM_ERR_ARGUMENT         id is NULL, or cores is below 1
/// @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
/// @retval DVM_ERR_STATE            a task of this processing was scheduled already
///
/// Thread safety: any thread, any task. Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_processing_cores(id: ConstProcIdArg, cores: c_int) -> dvm_retcode_t {
    guard::running("dvm_processing_cores", |_| {
        let wanted = u32::try_from(cores).ok().filter(|&cores| cores >= 1);
        let wanted = wanted.ok_or_else(|| Error::argument(format!("`cores` is {cores}: it must be at least 1")))?;
        REGISTRY.set_cores(id.processing("id")?, wanted)
    })
}
