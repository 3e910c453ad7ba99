//! The counters of a worker: how many tasks have ended on it, and which task it runs. Only the worker writes them.

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use crate::processing::Signature;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Fields that only the worker writes.
#[derive(Default)]
pub(crate) struct WorkerCounts {
    /// Tasks that ended on the worker.
    pub(crate) ended: AtomicU64,
    /// The description of the task that the worker runs; NULL between tasks.
    pub(crate) running: AtomicPtr<String>,
    /// The address of that task, while `running` is not NULL.
    task: AtomicUsize,
    /// Counts the tasks taken out of the worker's queue. The count decides which kind of task goes first, so no kind is
    /// starved. It belongs to the worker, not to a thread: a stand-in continues the count.
    pub(crate) turn: AtomicU32,
}

impl WorkerCounts {
    /// Notes the task that the worker runs: its address, and its processing.
    #[inline]
    pub(crate) fn note_running(&self, task: usize, signature: &Signature) {
        self.task.store(task, Ordering::Relaxed);
        self.running.store(ptr::from_ref(signature.description).cast_mut(), Ordering::Release);
    }

    /// Notes that the worker runs no task.
    #[inline]
    pub(crate) fn note_idle(&self) {
        self.running.store(ptr::null_mut(), Ordering::Release);
    }

    /// The description of the task that runs on the worker.
    pub(crate) fn description(&self) -> Option<&'static str> {
        // SAFETY: whoever has the counts is inside a call. A description is freed while no other thread is, and after its
        // tasks have ended, which `note_idle` precedes (`lifecycle/forgotten_processings`).
        unsafe { self.running.load(Ordering::Acquire).as_ref() }.map(String::as_str)
    }

    /// The address of the task that runs on the worker. `running` is read first because it is written last.
    pub(crate) fn task(&self) -> Option<usize> {
        let runs = self.running.load(Ordering::Acquire);
        (!ptr::eq(runs, ptr::null())).then(|| self.task.load(Ordering::Relaxed))
    }
}
