//! What a worker tells of itself: how many tasks have ended on it, and which one it runs. It alone writes here.

use std::ptr;
use std::sync::atomic::AtomicPtr;

use crate::processing::Signature;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::task::Task;

/// What the worker alone writes.
#[derive(Default)]
pub(crate) struct WorkerCounts {
    /// Tasks that ended here.
    pub(crate) ended: AtomicU64,
    /// The description of the task that runs here; NULL between tasks.
    pub(crate) running: AtomicPtr<String>,
    /// That task, while `running` is not NULL. Not to be looked into: only the worker knows when it ends.
    pub(crate) task: AtomicPtr<Task>,
    /// Counts the tasks that were taken out of the worker's queue, so that none of the places where they lie is forgotten.
    /// Whichever thread is the worker goes on with it: one that stands in for a moment does not begin anew.
    pub(crate) turn: AtomicU32,
}

impl WorkerCounts {
    /// Notes what the worker runs.
    #[inline]
    pub(crate) fn note_running(&self, task: *mut Task, signature: &Signature) {
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

    /// The task that runs on the worker. `running` is read first: it was written last.
    pub(crate) fn task(&self) -> Option<*mut Task> {
        let runs = self.running.load(Ordering::Acquire);
        (!ptr::eq(runs, ptr::null())).then(|| self.task.load(Ordering::Relaxed))
    }
}
