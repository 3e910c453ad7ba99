//! Processings: registered functions.
//!
//! # For every function
//! Thread safety: any thread, any task.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

use std::ffi::{c_char, c_int, c_void};

use super::{Arg, ConstProcIdArg, DataId, Letter, ProcId, ProcIdArg, dvm_retcode_t, guard};
use crate::error::Error;
use crate::memory;
use crate::processing::{ArgumentAccess, Callee, REGISTRY};

/// @brief Register a function, so that tasks can run it.
///
/// The function is called with exactly number_of_args arguments, each a dvm_data_id_t (a pointer to two numbers that
/// is good until the task ends), and returns an int: 0 for success; anything else fails the task and poisons its
/// outputs. It is called by the worker threads, several at a time. All arguments are inputs, unless
/// dvm_processing_access says otherwise.
///
/// Tasks of the processing may run in any process of the job, whichever process registers it. A process finds the function
/// by its place in the program or in the shared object that it lies in, if it has loaded the same build of it (the
/// build-id, which linkers write with -Wl,--build-id), else by its name, if it was registered by that. No code is sent.
/// If it finds none, the tasks that come to it fail, and the wait says what to do. The id may be used by any process; one
/// that does not know it asks the process that registered it, and that first call waits for the answer.
///
/// @param[in]  callback        the function; in C++ and C23 cast it with DVM_CALLBACK
/// @param[in]  number_of_args  0 to DVM_MAX_PLAIN_ARGUMENTS
/// @param[in]  description     a short description for messages, copied; may be NULL
/// @param[out] id              the id of the new processing
/// @retval DVM_SUCCESS              id is written
/// @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is out of range
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// Source: report, section 4.2.4, processing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_processing_register(
    callback: Option<unsafe extern "C" fn() -> c_int>,
    number_of_args: c_int,
    description: Arg<*mut Letter>,
    id: ProcIdArg,
) -> dvm_retcode_t {
    guard::running("dvm_processing_register", |_| {
        let callback = callback.ok_or_else(|| Error::argument("`callback` is NULL"))?;
        let id = id.result("id")?;
        let count = guard::non_negative(number_of_args, "number_of_args")?;
        let description = description.text()?;
        let new = REGISTRY.register(Callee::plain(callback), count, description.as_deref().unwrap_or(""))?;
        id.write(new.raw());
        Ok(())
    })
}

/// @brief Register a function by its name, which is looked up in the whole running program.
///
/// As dvm_processing_register otherwise; the name serves as description.
///
/// @param[in]  function_name        the name of the symbol; a function of the program itself is only found when the
///                                  program is linked with -rdynamic (CMake: ENABLE_EXPORTS)
/// @param[in]  number_of_data_args  0 to DVM_MAX_PLAIN_ARGUMENTS
/// @param[out] id                   the id of the new processing
/// @retval DVM_SUCCESS              id is written
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL, or number_of_data_args is out of range
/// @retval DVM_ERR_SYMBOL           the running program has no such dynamic symbol, or it is data and no function
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// Source: report, section 4.2.4, processing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_processing_register_by_name(
    function_name: Arg<*mut Letter>,
    number_of_data_args: c_int,
    id: ProcIdArg,
) -> dvm_retcode_t {
    guard::running("dvm_processing_register_by_name", |_| {
        let name = function_name.bytes("function_name")?;
        let id = id.result("id")?;
        let count = guard::non_negative(number_of_data_args, "number_of_data_args")?;
        let new = REGISTRY.register(Callee::named(name)?, count, &name.to_string_lossy())?;
        id.write(new.raw());
        Ok(())
    })
}

/// @brief Register a function that takes a context, an array of ids and their number: for any number of arguments.
///
/// As dvm_processing_register otherwise.
///
/// @param[in]  callback        called as callback(context, ids, count); ids has count entries and is good until the
///                             task ends
/// @param[in]  context         handed to the callback as it is, may be NULL; libdvm keeps the pointer until the
///                             processing is unregistered and its last task has ended; an address of this process:
///                             tasks that run in another one get the number and may not use it as an address
/// @param[in]  number_of_args  0 or more
/// @param[in]  description     a short description for messages, copied; may be NULL
/// @param[out] id              the id of the new processing
/// @retval DVM_SUCCESS              id is written
/// @retval DVM_ERR_ARGUMENT         callback or id is NULL, or number_of_args is negative
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_processing_register_v(
    callback: Option<unsafe extern "C" fn(context: *mut c_void, ids: *mut DataId, count: c_int) -> c_int>,
    context: Arg<*mut c_void>,
    number_of_args: c_int,
    description: Arg<*const c_char>,
    id: ProcIdArg,
) -> dvm_retcode_t {
    guard::running("dvm_processing_register_v", |_| {
        let callback = callback.ok_or_else(|| Error::argument("`callback` is NULL"))?;
        let id = id.result("id")?;
        let count = guard::non_negative(number_of_args, "number_of_args")?;
        let description = description.text()?;
        let callee = Callee::with_context(callback, context.pointer());
        let new = REGISTRY.register(callee, count, description.as_deref().unwrap_or(""))?;
        id.write(new.raw());
        Ok(())
    })
}

/// @brief Say which arguments of a processing its tasks read and which they produce.
///
/// Before the first task of the processing, in the process that has registered it. Without this call all arguments are
/// inputs.
///
/// @param[in] id     the processing
/// @param[in] modes  one of DVM_IN, DVM_OUT, DVM_READ and DVM_INOUT for each of its arguments
/// @retval DVM_SUCCESS              the modes are set
/// @retval DVM_ERR_ARGUMENT         a pointer is NULL, or a mode is unknown
/// @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
/// @retval DVM_ERR_STATE            a task of this processing was scheduled already, or is being scheduled
/// @retval DVM_ERR_MEMORY           no memory for the bookkeeping
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_processing_access(id: ConstProcIdArg, modes: Arg<*const c_int>) -> dvm_retcode_t {
    guard::running("dvm_processing_access", |_| {
        modes.require("modes")?;
        let id = id.processing("id")?;
        let count = REGISTRY.find(id)?.signature.arguments();
        let modes = modes.list(count, "modes")?;
        let modes = modes.iter().enumerate().map(|(place, &mode)| {
            u8::try_from(mode).ok().and_then(ArgumentAccess::from_number).ok_or_else(|| {
                Error::argument(format!(
                    "`modes[{place}]` is {mode}: only DVM_IN, DVM_OUT, DVM_READ and DVM_INOUT are known"
                ))
            })
        });
        let mut list = Vec::new();
        memory::room_for(&mut list, count)?;
        for mode in modes {
            list.push(mode?);
        }
        REGISTRY.access(id, &list)
    })
}

/// @brief Forget a processing. Tasks that were scheduled with it still run; no new ones can be.
///
/// In the process that has registered it.
///
/// @param[in] id  the address of the processing's id; the id itself is not changed
/// @retval DVM_SUCCESS              the id is stale now
/// @retval DVM_ERR_ARGUMENT         id is NULL
/// @retval DVM_ERR_PROCESSING       the processing is unknown or unregistered
///
/// Source: report, section 4.2.4, processing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_processing_unregister(id: Arg<*mut ProcId>) -> dvm_retcode_t {
    guard::running("dvm_processing_unregister", |call| {
        let id = id.processing("id")?;
        REGISTRY.unregister(id)?;
        if let Some(job) = call.job() {
            job.scheduler.unregistered(id);
        }
        call.free_forgotten();
        Ok(())
    })
}
