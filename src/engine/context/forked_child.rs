//! An orphan: a process that was forked while libdvm was running, and that has no workers. What its one thread may
//! still do. `lifecycle::forked` detects orphans.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, dvm_retcode_t};
use crate::system;

/// True in a process that was forked while libdvm was running, and in its children.
pub(crate) static ORPHAN: AtomicBool = AtomicBool::new(false);

/// True if no call can be served any more, because the workers stayed in the parent process.
pub(crate) fn is_orphan() -> bool {
    ORPHAN.load(Ordering::Relaxed)
}

thread_local! {
    /// True on the one thread of an orphan if that thread belonged to libdvm before the fork.
    pub(crate) static NO_RETURN: Cell<bool> = const { Cell::new(false) };
}

/// Ends the process when a callback that a worker of the parent called returns in an orphan. The worker's locks and
/// lists are as they were at the fork, and its tasks are the parent's.
#[cold]
#[inline(never)]
pub(crate) fn end_without_worker(status: c_int) {
    if is_orphan() && NO_RETURN.get() {
        system::exit_at_once(status); // what is registered for an exit is the parent's
    }
}

/// The error of a call in an orphan.
#[cold]
pub(crate) fn orphaned(code: dvm_retcode_t) -> Error {
    Error::new(
        code,
        "this process was forked while libdvm was running, and the workers stayed in the parent: fork before dvm_init \
         or after dvm_finalize, or only call exec or _exit here",
    )
}
