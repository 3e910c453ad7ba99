//! Tasks that are in a blocking section: their workers run others meanwhile, and only this list knows of them.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::sync::lock::{Mutex, MutexGuard};

use super::Call;
use super::worker::Counts;
use crate::task::Task;

/// A task in a section.
pub(super) struct Absence {
    /// By its address alone.
    task: usize,
    pub(super) description: &'static str,
    pub(super) worker: usize,
    pub(super) since: Instant,
}

/// All of them.
#[derive(Default)]
pub(super) struct BlockedTasks(Mutex<Vec<Absence>>);

impl BlockedTasks {
    /// A task is about to leave its worker, whose counts these are. A tile's section has no task.
    pub(super) fn add(&self, task: *mut Task, worker: usize, counts: &Counts) {
        if let Some(description) = counts.description().filter(|_| !task.is_null()) {
            self.0.lock().push(Absence { task: task.addr(), description, worker, since: Instant::now() });
        }
    }

    /// A task has its worker again, which says so already, or has not left it.
    pub(super) fn remove(&self, task: *mut Task) {
        self.0.lock().retain(|absence| absence.task != task.addr());
    }

    /// Holds the list, so that meanwhile no task leaves its worker or comes back to it.
    pub(super) fn hold(&self) -> Held<'_> {
        Held(self.0.lock())
    }
}

/// The list while it is held.
pub(super) struct Held<'a>(MutexGuard<'a, Vec<Absence>>);

impl Held<'_> {
    /// All tasks in sections.
    pub(super) fn all(&self) -> &[Absence] {
        &self.0
    }

    /// This task's section.
    pub(super) fn find(&self, task: *mut Task) -> Option<&Absence> {
        self.0.iter().find(|absence| absence.task == task.addr())
    }
}

impl Counts {
    /// The description of the task that runs on the worker.
    pub(super) fn description(&self) -> Option<&'static str> {
        // SAFETY: descriptions are never freed.
        unsafe { self.running.load(Ordering::Acquire).as_ref() }.map(String::as_str)
    }
}

impl Call {
    /// The task of this thread has its worker again.
    pub(super) fn note_return(&self, worker: usize) {
        let task = self.context.with(|own| own.frame.task);
        // SAFETY: a task that runs on this thread is in use.
        if let Some(running) = unsafe { task.as_ref() } {
            self.engine().workers[worker].counts.0.note_running(task, running.signature());
            self.engine().blocked_tasks.remove(task);
        }
    }
}
