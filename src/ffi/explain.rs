//! Explanations: what waits for what, for a program that does not go on.
//!
//! # For every function
//! Thread safety: any thread, any task; not in a signal's handler.
//! DVM_ERR_NOT_INITIALIZED: libdvm is not running.

use std::ffi::{c_char, c_void};

use super::{Arg, dvm_retcode_t, guard};
use crate::engine::Call;
use crate::error::Error;
use crate::explain;
use crate::graph;

/// @brief Print on stderr what waits for what.
///
/// Each task that waits is named with its processing's description, its arguments and its place, with the datum that it
/// misses and with who was to publish that: a task, the program by hand, or nobody. Cycles are found. Threads that sleep in
/// dvm_data_get are counted with the datum that they wait for. For each graph that runs, the tiles that run and that wait
/// are listed, with the predecessors that they miss. Long lists are cut and counted. Workers go on meanwhile. At the end
/// stands how the regions of generated code run, with the measured times (DVM_TUNE).
///
/// The environment variables DVM_WATCHDOG and DVM_EXPLAIN_SIGNAL have libdvm do this by itself.
///
/// @retval DVM_SUCCESS              it is printed
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_explain() -> dvm_retcode_t {
    guard::running("dvm_explain", |call| {
        explain::print(&text(call));
        Ok(())
    })
}

/// @brief The text that dvm_explain prints, in the caller's memory.
///
/// The text ends with a NUL. A text that does not fit is cut, and needed says so: it is then greater than size. What
/// waits may change between two calls, and the text's size with it.
///
/// @param[out] buffer  where the text goes, size bytes; may be NULL when size is 0
/// @param[in]  size    its size in bytes; 0 asks for the size that is needed
/// @param[out] needed  the bytes of the whole text, with its NUL
/// @retval DVM_SUCCESS              buffer and needed are written
/// @retval DVM_ERR_ARGUMENT         needed is NULL, or buffer is NULL and size is not 0
///
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dvm_explain_text(
    buffer: Arg<*mut c_void, c_char>,
    size: usize,
    needed: Arg<*mut usize>,
) -> dvm_retcode_t {
    guard::running("dvm_explain_text", |call| {
        let needed = needed.result("needed")?;
        if size > 0 && buffer.is_null() {
            return Err(Error::argument("`buffer` is NULL and `size` is not 0"));
        }
        let text = text(call);
        needed.write(text.len() + 1);
        if size > 0 {
            buffer.write_text(&text[..text.floor_char_boundary(size - 1)], "buffer")?;
        }
        Ok(())
    })
}

/// What waits for what, and what is learnt of regions.
fn text(call: &Call) -> String {
    graph::learnt().into_iter().fold(explain::explain(call), |text, line| text + "libdvm: " + &line + "\n")
}
