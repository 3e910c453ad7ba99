//! Tasks in blocking sections. Their workers run other tasks, and only this list knows of them.

use std::time::Instant;

use crate::sync::lock::{Mutex, MutexGuard};

use crate::processing::Signature;

/// A task in a section.
pub(crate) struct Absence {
    /// The address of the task.
    task: usize,
    pub(crate) description: &'static str,
    pub(crate) worker: usize,
    pub(crate) since: Instant,
}

/// All tasks in sections.
#[derive(Default)]
pub(crate) struct BlockedTasks(Mutex<Vec<Absence>>);

impl BlockedTasks {
    /// Adds a task, by its address, that is about to leave its worker.
    pub(crate) fn add(&self, task: usize, signature: &Signature, worker: usize) {
        self.0.lock().push(Absence { task, description: signature.description, worker, since: Instant::now() });
    }

    /// Removes a task that has its worker again, which already shows it, or that has not left its worker.
    pub(crate) fn remove(&self, task: usize) {
        self.0.lock().retain(|absence| absence.task != task);
    }

    /// Holds the list, so that meanwhile no task leaves its worker or comes back to it.
    pub(crate) fn hold(&self) -> HeldAbsences<'_> {
        HeldAbsences(self.0.lock())
    }
}

/// The list while it is held.
pub(crate) struct HeldAbsences<'a>(MutexGuard<'a, Vec<Absence>>);

impl HeldAbsences<'_> {
    /// All tasks in sections.
    pub(crate) fn all(&self) -> &[Absence] {
        &self.0
    }

    /// This task's section.
    pub(crate) fn find(&self, task: usize) -> Option<&Absence> {
        self.0.iter().find(|absence| absence.task == task)
    }
}
