//! Loops of a program of one process in which nothing but regions uses the regions' arrays: these stay on the processes from
//! one region to the next, and come back once, when the loop has ended.

use std::cell::Cell;

use super::keeper;
use crate::engine::Call;
use crate::error::Error;

thread_local! {
    /// How many such loops this thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// This thread begins such a loop.
pub(crate) fn loop_begins() {
    DEPTH.set(DEPTH.get().saturating_add(1));
}

/// It has ended one. `call`: enters libdvm, if it runs.
///
/// # Errors
/// What the processes have cannot be brought back.
pub(crate) fn loop_ended(call: impl FnOnce() -> Option<Call>) -> Result<(), Error> {
    DEPTH.set(DEPTH.get().saturating_sub(1));
    // When libdvm ends, all comes back.
    if DEPTH.get() == 0 && keeper::keeps_for_loops() {
        call().map_or(Ok(()), |call| keeper::end_loop(&call))
    } else {
        Ok(())
    }
}

/// Whether this thread runs such a loop.
pub(crate) fn runs_loop() -> bool {
    DEPTH.get() > 0
}
