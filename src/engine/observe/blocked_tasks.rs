//! Tasks that are in a blocking section: their workers run others meanwhile, and only this list knows of them.

use std::time::Instant;

use crate::sync::lock::{Mutex, MutexGuard};

use crate::engine::context::counts::WorkerCounts;
use crate::task::Task;

/// A task in a section.
pub(crate) struct Absence {
    /// By its address alone.
    task: usize,
    pub(crate) description: &'static str,
    pub(crate) worker: usize,
    pub(crate) since: Instant,
}

/// All of them.
#[derive(Default)]
pub(crate) struct BlockedTasks(Mutex<Vec<Absence>>);

impl BlockedTasks {
    /// A task is about to leave its worker, whose counts these are. A tile's section has no task.
    pub(crate) fn add(&self, task: *mut Task, worker: usize, counts: &WorkerCounts) {
        if let Some(description) = counts.description().filter(|_| !task.is_null()) {
            self.0.lock().push(Absence { task: task.addr(), description, worker, since: Instant::now() });
        }
    }

    /// A task has its worker again, which says so already, or has not left it.
    pub(crate) fn remove(&self, task: *mut Task) {
        self.0.lock().retain(|absence| absence.task != task.addr());
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
    pub(crate) fn find(&self, task: *mut Task) -> Option<&Absence> {
        self.0.iter().find(|absence| absence.task == task.addr())
    }
}
