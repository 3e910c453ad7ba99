//! What a worker tells of itself: how many tasks have ended on it, and which one it runs. It alone writes here.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use crate::processing::Signature;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What the worker alone writes.
#[derive(Default)]
pub(crate) struct WorkerCounts {
    /// Tasks that ended here.
    pub(crate) ended: AtomicU64,
    /// The description of the task that runs here; NULL between tasks.
    pub(crate) running: AtomicPtr<String>,
    /// The address of that task, while `running` is not NULL.
    task: AtomicUsize,
    /// Counts the tasks that were taken out of the worker's queue, so that none of the places where they lie is forgotten.
    /// Whichever thread is the worker goes on with it: one that stands in for a moment does not begin anew.
    pub(crate) turn: AtomicU32,
}

impl WorkerCounts {
    /// Notes what the worker runs: the address of a task, and its processing.
    #[inline]
    pub(crate) fn note_running(&self, task: usize, signature: &Signature) {
        self.task.store(task, Ordering::Relaxed);
        self.running.store(ptr::from_ref(signature.description).cast_mut(), Ordering::Release);
    }

    /// Notes that the worker runs nothing.
    #[inline]
    pub(crate) fn note_idle(&self) {
        self.running.store(ptr::null_mut(), Ordering::Release);
    }

    /// The description of the task that runs on the worker.
    pub(crate) fn description(&self) -> Option<&'static str> {
        // SAFETY: descriptions are never freed.
        unsafe { self.running.load(Ordering::Acquire).as_ref() }.map(String::as_str)
    }

    /// The address of the task that runs on the worker. `running` is read first: it was written last.
    pub(crate) fn task(&self) -> Option<usize> {
        let runs = self.running.load(Ordering::Acquire);
        (!ptr::eq(runs, ptr::null())).then(|| self.task.load(Ordering::Relaxed))
    }
}
