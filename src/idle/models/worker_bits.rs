//! A worker's membership in the set of those that may have tasks for others.

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::worker_bits::WorkerSet;
use crate::sync::atomic::{AtomicBool, Ordering};

models! {
    what_comes_while_the_worker_leaves finds [add_without_fence, leave_without_fence];
}

/// One thread adds work and then the worker; the worker leaves the set and looks again. There is never work while the
/// worker is in no set and does not know of the work.
fn what_comes_while_the_worker_leaves() {
    let shared = Arc::new((WorkerSet::new(2), AtomicBool::new(false)));
    shared.0.add(1);
    let other = Arc::clone(&shared);
    let giver = thread::spawn(move || {
        let (set, there) = &*other;
        there.store(true, Ordering::Relaxed);
        set.add(1);
    });
    let (set, there) = &*shared;
    set.leave(1);
    let seen = there.load(Ordering::Relaxed);
    giver.join().unwrap();
    assert!(seen || set.others(0).any(|worker| worker == 1), "nobody knows of it");
}
