//! With very many workers and few CPUs, who need not be woken.
//!
//! A worker that has run out of tasks gives its CPU away a few times before it sleeps. While as many workers do that as
//! there are CPUs, a near task that becomes ready wakes nobody: one of them finds it. Who was counted here looks around
//! afterwards, and who then takes a task wakes somebody if there are more, who in turn does the same. So no task is
//! left to sleepers.

use super::planted::planted;
use crate::sync::atomic::{AtomicUsize, Ordering, yield_now};
use crate::sync::fence;

/// Workers that look around as soon as they have a CPU again.
#[repr(align(128))]
pub(super) struct Lookers {
    count: AtomicUsize,
    /// So many are enough; 0: they are not counted.
    enough: usize,
}

impl Lookers {
    /// Nobody.
    pub(super) fn new(enough: usize) -> Lookers {
        Lookers { count: AtomicUsize::new(0), enough }
    }

    /// True when a task that any worker may run needs no sleeper. The task is visible already.
    #[inline]
    pub(super) fn suffice(&self) -> bool {
        if self.enough == 0 {
            return false;
        }
        if !planted("lookers_counted_without_fence") {
            fence::full();
        }
        self.count.load(Ordering::SeqCst) >= self.enough
    }

    /// Whether workers are counted.
    pub(super) fn are_counted(&self) -> bool {
        self.enough > 0
    }

    /// Gives the CPU away for a moment; true when the caller was counted. It then looks for tasks, and before it runs
    /// the first one that it takes, it wakes somebody if there are more.
    pub(super) fn give_way(&self) -> bool {
        if self.enough == 0 {
            yield_now();
            return false;
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        yield_now();
        self.count.fetch_sub(1, Ordering::SeqCst);
        // Who was content with this worker has made the task visible before: it is seen from here on.
        if !planted("looker_without_fence") {
            fence::full();
        }
        true
    }
}
