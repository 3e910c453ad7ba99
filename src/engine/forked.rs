//! A process that was forked while libdvm was running: it has a copy of the memory, and none of the workers.
//!
//! Whatever it would wait for never comes, and a lock that another thread held at the fork stays held. So the engine is
//! hidden from the child: its calls fail at once, and none of them waits.

use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::ENGINE;
use crate::error::{Error, dvm_retcode_t};

/// True in a process that was forked while libdvm was running, and in its children.
static ORPHAN: AtomicBool = AtomicBool::new(false);

/// True when no call can be served any more, because the workers stayed in the parent process.
pub(super) fn is_orphan() -> bool {
    ORPHAN.load(Ordering::Relaxed)
}

/// The failure of a call in such a process.
#[cold]
pub(super) fn orphaned(code: dvm_retcode_t) -> Error {
    Error::new(
        code,
        "this process was forked while libdvm was running, and the workers stayed in the parent: fork before dvm_init \
         or after dvm_finalize, or only call exec or _exit here",
    )
}

/// Has children of this process find out that they are. True when that worked.
pub(super) fn watch() -> bool {
    // SAFETY: the function is part of this library, which is never unloaded (it is linked with -z nodelete); it only
    // touches two atomics, which a child of fork may.
    unsafe { libc::pthread_atfork(None, None, Some(in_child)) == 0 }
}

extern "C" fn in_child() {
    if !ENGINE.swap(ptr::null_mut(), Ordering::SeqCst).is_null() {
        ORPHAN.store(true, Ordering::Relaxed);
    }
}
