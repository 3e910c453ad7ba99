//! With very many workers and few CPUs: which workers need no wake-up.
//!
//! A worker that has run out of tasks yields its CPU a few times before it sleeps. While as many workers do that as
//! there are CPUs, a near task that becomes ready wakes no worker: one of them finds it. A worker that was counted here
//! looks around afterwards. If it then takes a task and there are more, it wakes another worker, which does the same.
//! So no task depends on a sleeper.

use super::planted::planted;
use crate::sync::atomic::{AtomicUsize, Ordering, yield_now};
use crate::sync::fence;

/// Workers that will look around as soon as they have a CPU again.
#[repr(align(128))]
pub(super) struct Lookers {
    count: AtomicUsize,
    /// This number of lookers suffices; 0: lookers are not counted.
    enough: usize,
}

impl Lookers {
    /// No lookers.
    pub(super) fn new(enough: usize) -> Lookers {
        Lookers { count: AtomicUsize::new(0), enough }
    }

    /// True if a visible task that any worker may run needs no sleeper.
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

    /// Whether lookers are counted.
    pub(super) fn are_counted(&self) -> bool {
        self.enough > 0
    }

    /// Yields the CPU for a moment; true if the caller was counted. The caller then looks for tasks. Before it runs the
    /// first task that it takes, it wakes a worker if there are more tasks.
    pub(super) fn yield_cpu(&self) -> bool {
        if self.enough == 0 {
            yield_now();
            return false;
        }
        self.count.fetch_add(1, Ordering::SeqCst);
        yield_now();
        self.count.fetch_sub(1, Ordering::SeqCst);
        // A pusher that relied on this worker has made its task visible before: from here on the worker sees that task.
        if !planted("looker_without_fence") {
            fence::full();
        }
        true
    }
}
