//! Waiting for tasks to end: each thread counts its own tasks, and a thread that waits adds the counters up
//! (`README.md`).

use std::time::Duration;

use super::planted::planted;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering, yield_now};
use crate::sync::fence;
use crate::sync::modelled::{Condvar, Mutex};

/// How many tasks one thread has scheduled, made ready and ended, since the beginning of the program.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) scheduled: AtomicU64,
    pub(crate) activated: AtomicU64,
    pub(crate) ended: AtomicU64,
}

/// One of the counters.
pub(crate) type Which = fn(&Counters) -> &AtomicU64;

/// Adds one; only the counters' thread does so.
#[inline]
pub(crate) fn count(counter: &AtomicU64) {
    counter.store(own(counter).wrapping_add(1), Ordering::Release);
}

/// Subtracts one; only the counters' thread does so.
#[inline]
pub(crate) fn uncount(counter: &AtomicU64) {
    counter.store(own(counter).wrapping_sub(1), Ordering::Release);
}

/// A counter of the calling thread, which alone changes the counter.
#[inline]
fn own(counter: &AtomicU64) -> u64 {
    #[cfg(loom)]
    // SAFETY: no other thread writes. (After a plain load, loom forgets that other threads have read the counter
    // before.)
    return unsafe { counter.unsync_load() };
    #[cfg(not(loom))]
    counter.load(Ordering::Relaxed)
}

/// Adds up one counter of all threads.
pub(crate) fn sum<'a>(all: impl Iterator<Item = &'a Counters>, which: Which) -> u64 {
    all.fold(0, |sum, counters| sum.wrapping_add(which(counters).load(Ordering::Acquire)))
}

/// Tasks that were scheduled and have not ended; `sum` adds up a counter. If the result is 0, all tasks that were
/// scheduled before the call have ended, and so have all tasks that these have scheduled: ends are read first, and a
/// task's own end is counted after what the task schedules.
pub(crate) fn outstanding(sum: impl Fn(Which) -> u64) -> u64 {
    without_ended(sum, |counters| &counters.scheduled)
}

/// Tasks that became ready and have not ended, read in the same way. If the result is 0, all other tasks wait for data.
pub(crate) fn under_way(sum: impl Fn(Which) -> u64) -> u64 {
    without_ended(sum, |counters| &counters.activated)
}

fn without_ended(sum: impl Fn(Which) -> u64, begun: Which) -> u64 {
    if planted("ends_read_last") {
        let begun = sum(begun);
        return begun.wrapping_sub(sum(|counters| &counters.ended));
    }
    let ended = sum(|counters| &counters.ended);
    sum(begun).wrapping_sub(ended)
}

/// The number of looks at the counters, with ever more pauses in between, while the thread keeps its core: few small
/// tasks end in that time. Each look takes the cache lines of the counters away from the threads that count.
const EAGER_LOOKS: u32 = if cfg!(loom) { 0 } else { 12 };

/// The largest number of pauses between two such looks.
const MOST_PAUSES: u32 = 32;

/// The number of further looks before the thread sleeps; it yields its core in between.
const LOOKS: usize = if cfg!(loom) { 0 } else { 100 };

/// The place where a thread sleeps until tasks have ended. There is one such thread at a time, by the lock of the life
/// cycle.
#[derive(Default)]
pub(crate) struct Completion {
    waiting: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Completion {
    /// Sleeps until `done`, which workers make true by ending tasks. `crowded`: the workers may need this thread's
    /// core.
    pub(crate) fn wait_until(&self, crowded: bool, done: impl Fn() -> bool) {
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
            yield_now();
        }
        self.waiting.store(true, Ordering::SeqCst);
        if !planted("wait_without_fence") {
            fence::full();
        }
        let mut guard = self.lock.lock();
        while !done() {
            self.changed.wait(&mut guard);
        }
        drop(guard);
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// Sleeps until a worker runs out of tasks, or for a short time.
    pub(crate) fn wait_a_moment(&self) {
        self.nap(Duration::from_millis(1));
    }

    /// Sleeps until a worker runs out of tasks, or for so long. A notice from before is lost.
    pub(crate) fn nap(&self, longest: Duration) {
        self.waiting.store(true, Ordering::SeqCst);
        let mut guard = self.lock.lock();
        self.changed.wait_for(&mut guard, longest);
        drop(guard);
        self.waiting.store(false, Ordering::SeqCst);
    }

    /// Whether a thread sleeps here.
    pub(crate) fn is_awaited(&self) -> bool {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Notifies the waiting thread, if there is one, to look again.
    #[inline]
    pub(crate) fn notify(&self) {
        if !planted("notify_without_fence") {
            fence::full();
        }
        if self.waiting.load(Ordering::Relaxed) {
            if !planted("notify_without_lock") {
                drop(self.lock.lock());
            }
            self.changed.notify_all();
        }
    }
}
