//! Waiting for tasks to end: see `README.md` beside this file.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::time::Duration;

use crate::sync::lock::{Condvar, Mutex};

/// Looks at the counters so often, with ever more pauses in between, while the thread keeps its core: few small tasks end
/// in that time. Each look takes the lines with the counters away from those who count.
const EAGER_LOOKS: u32 = 12;

/// The most pauses between two such looks.
const MOST_PAUSES: u32 = 32;

/// Then so often before sleeping, and gives its core away in between.
const LOOKS: usize = 100;

/// Where a thread sleeps until tasks have ended. One thread at a time: the lock of the life cycle sees to that.
#[derive(Default)]
pub(super) struct Completion {
    waiting: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Completion {
    /// Sleeps until `done`, which workers make true by ending tasks. `crowded`: they may need this thread's core.
    pub(super) fn wait_until(&self, crowded: bool, done: impl Fn() -> bool) {
        for look in 0..if crowded { 0 } else { EAGER_LOOKS } {
            if done() {
                return;
            }
            for _ in 0..(1 << look).min(MOST_PAUSES) {
                std::hint::spin_loop();
            }
        }
        for _ in 0..LOOKS {
            if done() {
                return;
            }
            std::thread::yield_now();
        }
        self.waiting.store(true, Ordering::SeqCst);
        fence(Ordering::SeqCst);
        let mut guard = self.lock.lock();
        while !done() {
            self.changed.wait(&mut guard);
        }
        drop(guard);
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// Sleeps until a worker runs out of tasks, or for a moment.
    pub(super) fn wait_a_moment(&self) {
        self.waiting.store(true, Ordering::SeqCst);
        let mut guard = self.lock.lock();
        self.changed.wait_for(&mut guard, Duration::from_millis(1));
        drop(guard);
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// Whether a thread sleeps here.
    pub(super) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Tells the waiting thread, if there is one, to look again.
    #[inline]
    pub(super) fn notify(&self) {
        fence(Ordering::SeqCst);
        if self.waiting.load(Ordering::Relaxed) {
            drop(self.lock.lock());
            self.changed.notify_all();
        }
    }
}
