//! A process that was forked while libdvm was running: it has a copy of the memory, and no workers.
//!
//! Any wait would last for ever, and a lock that another thread held at the fork stays held. So the child hides the
//! engine: its calls fail at once, and none of them waits.
//!
//! The one thread of the child may have been inside a callback of the program, on a worker or further up on the stack
//! of a call. It is an ordinary thread from then on. A callback that returns in the child finds no worker. On a thread
//! of libdvm the child then ends with the callback's result; a call of the program's own thread returns without
//! touching what other threads may have left half done.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::Ordering;

use super::life;
use crate::data::names;
use crate::engine::context::forked_child::{NO_RETURN, ORPHAN};
use crate::engine::context::shared::ENGINE;
use crate::engine::context::{self, ThreadContext};
use crate::engine::execute::section_end;
use crate::memory::own_heap;

#[cfg(not(all(target_os = "linux", not(loom))))]
use crate::sync::lock::LockState as _;
use crate::sync::lock::{ForkLock, Mutex};
use crate::system;
use crate::system::signals::WithoutHandlers;

pub(crate) use crate::engine::context::forked_child::{is_orphan, orphaned};

/// The largest number of locks that a fork waits for.
const MAX_LOCKS: usize = 8;

/// The locks that calls take even while libdvm does not run, and whether forks are watched.
struct Watched {
    locks: [Option<&'static dyn ForkLock>; MAX_LOCKS],
    handlers: bool,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { locks: [None; MAX_LOCKS], handlers: false });

/// Makes forks wait for a lock, and children detect that they are orphans. The lock is a leaf: no thread that holds it
/// waits for another such lock, or forks.
pub(crate) fn keep_whole(lock: &'static dyn ForkLock) {
    let mut watched = WATCHED.lock();
    let known = |other: &&dyn ForkLock| ptr::addr_eq(ptr::from_ref(*other), ptr::from_ref(lock));
    if !watched.locks.iter().flatten().any(known)
        && let Some(place) = watched.locks.iter_mut().find(|place| place.is_none())
    {
        *place = Some(lock);
    }
    if !watched.handlers {
        // The child's handler touches only atomics, data of its own thread, and locks that this thread has taken
        // before. The handlers are never unloaded: this library is linked with -z nodelete.
        watched.handlers = system::at_fork(before, in_parent, in_child);
    }
}

/// Makes children of this process detect that they are orphans.
pub(crate) fn watch() {
    keep_whole(context::fork_lock());
    keep_whole(crate::sync::thread::fork_lock());
    keep_whole(names::fork_lock());
}

thread_local! {
    /// Between [`before`] and the end of the fork.
    static QUIET: Cell<Option<ManuallyDrop<WithoutHandlers>>> = const { Cell::new(None) };
}

extern "C" fn before() {
    QUIET.set(own_heap::without_handlers().map(ManuallyDrop::new));
    WATCHED.hold();
    each_lock(|lock| lock.hold());
}

extern "C" fn in_parent() {
    // SAFETY: `before` has taken all these locks on this thread.
    each_lock(|lock| unsafe { lock.release() });
    // SAFETY: as above.
    unsafe { WATCHED.release() };
    drop(QUIET.take().map(ManuallyDrop::into_inner));
}

/// Calls `body` with each lock. Only between `before` and the end of the fork.
fn each_lock(body: impl Fn(&dyn ForkLock)) {
    // SAFETY: this thread has the lock, and only reads.
    unsafe { WATCHED.held() }.locks.iter().flatten().for_each(|&lock| body(lock));
}

extern "C" fn in_child() {
    crate::memory::in_child();
    in_parent();
    // The thread that starts or ends libdvm holds this lock from before the engine exists until it is gone.
    if !ENGINE.swap(ptr::null_mut(), Ordering::SeqCst).is_null() || life::in_flux() {
        ORPHAN.store(true, Ordering::Relaxed);
        NO_RETURN.set(ThreadContext::leave_orphaned() || section_end::is_in_section());
    }
}
