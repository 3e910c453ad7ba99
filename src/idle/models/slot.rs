//! A worker's slot changes hands: one thread at a time has what stays with the slot, and each thread that waits gets
//! it.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::parking::{IdleSet, Parker};
use crate::idle::slot::WorkerSlot;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

models! {
    a_section finds [slot_given_twice, come_back_in_silence, signal_without_fence];
    the_stop finds [end_without_lock, end_in_silence];
    two_sections finds [slot_given_twice, release_in_silence];
    a_spare_thread_that_retires finds [slot_given_twice];
}

/// The time that spare threads wait: for ever in a model, and not at all.
const LONG_TIMEOUT: Duration = Duration::from_secs(1);
const ZERO_TIMEOUT: Duration = Duration::ZERO;

struct Shared {
    slot: WorkerSlot<u32>,
    idle_set: IdleSet,
    parker: Parker,
    stopping: AtomicBool,
    /// Threads that were started for sections.
    started: AtomicUsize,
}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared {
            slot: WorkerSlot::new(0),
            idle_set: IdleSet::new(1, 0),
            parker: Parker::default(),
            stopping: AtomicBool::new(false),
            started: AtomicUsize::new(0),
        })
    }

    fn stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Does what the worker alone may do.
    fn work(&self) {
        // SAFETY: the thread holds the slot; loom is to show that.
        unsafe { self.slot.with_left(|left| *left += 1) };
    }

    /// A thread of the worker that has no tasks: it looks, sleeps, and releases the slot when another thread wants it.
    fn stand_in(&self, timeout: Duration) {
        while self.slot.acquire(timeout, || self.stopping()).is_some() {
            self.work();
            while !self.slot.signalled() && !self.stopping() {
                let wanted = || self.slot.signalled() || self.stopping();
                let idle = self.idle_set.enter();
                if !wanted() {
                    idle.sleep(0, &self.parker, wanted);
                }
            }
            self.work();
            self.slot.release();
        }
    }

    /// A section of a task on the calling thread, which holds the slot before and after it.
    fn section(shared: &Arc<Shared>, timeout: Duration) {
        shared.work();
        let start = |_| {
            shared.started.fetch_add(1, Ordering::Relaxed);
            let other = Arc::clone(shared);
            thread::spawn(move || other.stand_in(timeout));
            Ok(())
        };
        shared.slot.leave(start).unwrap();
        shared.slot.come_back(|| {
            shared.parker.wake();
        });
        shared.work();
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        if self.idle_set.announce() {
            self.parker.wake();
        }
        self.slot.announce_end();
    }
}

/// A task leaves its worker, and comes back.
fn a_section() {
    let shared = Shared::new();
    assert!(shared.slot.acquire(LONG_TIMEOUT, || shared.stopping()).is_some());
    Shared::section(&shared, LONG_TIMEOUT);
    shared.slot.release();
    shared.stop();
}

/// The engine stops while the holder still runs a task: spare threads end all the same.
fn the_stop() {
    let shared = Shared::new();
    assert!(shared.slot.acquire(LONG_TIMEOUT, || shared.stopping()).is_some());
    Shared::section(&shared, LONG_TIMEOUT);
    shared.stop();
}

/// Two sections: it is the spare thread's turn in between.
fn two_sections() {
    let shared = Shared::new();
    assert!(shared.slot.acquire(LONG_TIMEOUT, || shared.stopping()).is_some());
    Shared::section(&shared, LONG_TIMEOUT);
    Shared::section(&shared, LONG_TIMEOUT);
    assert_eq!(shared.started.load(Ordering::Relaxed), 1, "the first one's thread is there");
    shared.slot.release();
    shared.stop();
}

/// The spare thread's timeout expires while the task comes back and leaves again.
fn a_spare_thread_that_retires() {
    let shared = Shared::new();
    assert!(shared.slot.acquire(LONG_TIMEOUT, || shared.stopping()).is_some());
    Shared::section(&shared, ZERO_TIMEOUT);
    Shared::section(&shared, ZERO_TIMEOUT);
    shared.slot.release();
    shared.stop();
}
