//! Errors in words.

use std::ffi::c_char;

use super::{RetcodeArg, dvm_retcode_t, guard};

/// @brief The meaning of a code, in words.
///
/// @param[in] code  any number; for one that is no code the text says so
/// @return a text that stays valid while the program runs, never NULL; the caller does not free it
///
/// Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_strerror(code: RetcodeArg) -> *const c_char {
    dvm_retcode_t::from_value(code).map_or(c"not a code of libdvm", dvm_retcode_t::text).as_ptr()
}

/// @brief The message of the calling thread's last failing call: what, where, why and what to do.
///
/// Calls that succeed leave it as it is.
///
/// @return a text that is valid until the calling thread's next failing call, never NULL, empty when no call of
///         this thread has failed; the caller does not free it
///
/// Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize; each thread sees its own.
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_last_error() -> *const c_char {
    guard::last_message()
}
