//! A process that was forked while libdvm was running: it has a copy of the memory, and none of the workers.
//!
//! Whatever it would wait for never comes, and a lock that another thread held at the fork stays held. So the engine is
//! hidden from the child: its calls fail at once, and none of them waits.
//!
//! The one thread of the child may have been inside a callback of the program, on a worker or further up on the stack of a
//! call. It is an ordinary thread from then on. A callback that returns in the child finds no worker to go on with: where
//! a thread of libdvm would go on, the child ends, with what the callback has returned; a call of the program's own thread
//! returns without touching what others may have left half done.

use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ENGINE, Lane};
use crate::error::{Error, dvm_retcode_t};

/// True in a process that was forked while libdvm was running, and in its children.
static ORPHAN: AtomicBool = AtomicBool::new(false);

/// True when no call can be served any more, because the workers stayed in the parent process.
pub(crate) fn is_orphan() -> bool {
    ORPHAN.load(Ordering::Relaxed)
}

thread_local! {
    /// True on the one thread of an orphan when that was a thread of libdvm before the fork.
    static NO_RETURN: Cell<bool> = const { Cell::new(false) };
}

/// Ends the process when a callback has returned in it that was called by a worker which is no more. Locks and lists of the
/// worker are as they were at the fork, and its tasks are the parent's.
#[cold]
#[inline(never)]
pub(crate) fn end_without_worker(status: c_int) {
    if is_orphan() && NO_RETURN.get() {
        // SAFETY: ends the process, and runs nothing of it: what is registered for an exit is the parent's.
        unsafe { libc::_exit(status) };
    }
}

/// The failure of a call in such a process.
#[cold]
pub(crate) fn orphaned(code: dvm_retcode_t) -> Error {
    Error::new(
        code,
        "this process was forked while libdvm was running, and the workers stayed in the parent: fork before dvm_init \
         or after dvm_finalize, or only call exec or _exit here",
    )
}

/// Has children of this process find out that they are. True when that worked.
pub(super) fn watch() -> bool {
    // SAFETY: the function is part of this library, which is never unloaded (it is linked with -z nodelete); it only
    // touches atomics and what belongs to its own thread, which a child of fork may.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) == 0 }
}

extern "C" fn in_child() {
    if !ENGINE.swap(ptr::null_mut(), Ordering::SeqCst).is_null() {
        ORPHAN.store(true, Ordering::Relaxed);
        NO_RETURN.set(Lane::leave_orphaned());
    }
}
