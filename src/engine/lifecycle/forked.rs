//! A process that was forked while libdvm was running: it has a copy of the memory, and none of the workers.
//!
//! Whatever it would wait for never comes, and a lock that another thread held at the fork stays held. So the engine is
//! hidden from the child: its calls fail at once, and none of them waits.
//!
//! The one thread of the child may have been inside a callback of the program, on a worker or further up on the stack of a
//! call. It is an ordinary thread from then on. A callback that returns in the child finds no worker to go on with: where
//! a thread of libdvm would go on, the child ends, with what the callback has returned; a call of the program's own thread
//! returns without touching what others may have left half done.

use std::ptr;
use std::sync::atomic::Ordering;

use super::life;
use crate::engine::context::orphan::{NO_RETURN, ORPHAN};
use crate::engine::context::shared::ENGINE;
use crate::engine::context::{self, ThreadContext};
use crate::engine::execute::section;

#[cfg(not(all(target_os = "linux", not(loom))))]
use crate::sync::lock::LockState as _;
use crate::sync::lock::{ForkLock, Mutex};
use crate::system;

pub(crate) use crate::engine::context::orphan::{is_orphan, orphaned};

/// The most locks that a fork waits for.
const MOST: usize = 8;

/// The locks that calls take also while libdvm does not run, and whether forks are watched.
struct Watched {
    locks: [Option<&'static dyn ForkLock>; MOST],
    handlers: bool,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { locks: [None; MOST], handlers: false });

/// Has forks wait for a lock, and children find out that they are. A leaf: no thread that holds it waits for another such lock,
/// or forks.
pub(crate) fn keep_whole(lock: &'static dyn ForkLock) {
    let mut watched = WATCHED.lock();
    let known = |other: &&dyn ForkLock| ptr::addr_eq(ptr::from_ref(*other), ptr::from_ref(lock));
    if !watched.locks.iter().flatten().any(known)
        && let Some(place) = watched.locks.iter_mut().find(|place| place.is_none())
    {
        *place = Some(lock);
    }
    if !watched.handlers {
        // The child's only touches atomics, what belongs to its own thread, and locks that this thread has taken before. None
        // is ever unloaded: this library is linked with -z nodelete.
        watched.handlers = system::at_fork(before, in_parent, in_child);
    }
}

/// Has children of this process find out that they are.
pub(crate) fn watch() {
    keep_whole(context::fork_lock());
}

extern "C" fn before() {
    WATCHED.hold();
    each_lock(|lock| lock.hold());
}

extern "C" fn in_parent() {
    // SAFETY: `before` has taken all of them on this thread.
    each_lock(|lock| unsafe { lock.release() });
    // SAFETY: as above.
    unsafe { WATCHED.release() };
}

/// Between `before` and the end of the fork.
fn each_lock(body: impl Fn(&dyn ForkLock)) {
    // SAFETY: this thread has the lock, and only reads.
    unsafe { WATCHED.held() }.locks.iter().flatten().for_each(|&lock| body(lock));
}

extern "C" fn in_child() {
    crate::memory::in_child();
    in_parent();
    // Who begins or ends libdvm has that lock from before there is an engine until it has gone.
    if !ENGINE.swap(ptr::null_mut(), Ordering::SeqCst).is_null() || life::in_flux() {
        ORPHAN.store(true, Ordering::Relaxed);
        NO_RETURN.set(ThreadContext::leave_orphaned() || section::is_in_section());
    }
}
