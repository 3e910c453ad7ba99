//! Tasks that are sent again when the process that ran them is lost (`DVM_RECOVER`), as their scheduler keeps them. It is the
//! home of all their outputs.
//!
//! A task of pure data can run twice: what it reads is written once. Three rules keep what it needs:
//! 1. Its outputs are copied home as soon as they exist.
//! 2. Its inputs keep their references until it has been returned and all its outputs are home, or poisoned.
//! 3. Its outputs are not freed before that: sent again it must find them, or know which of them it need not make.
//!
//! A task of a lost process is sent again unless it was returned and all its outputs are home. Those that are home already
//! are not made again: each datum gets its value once.

use super::planted::planted;
use crate::id::{DatumId, ProcessId};
use std::collections::BTreeSet;

/// A task that was returned by the process that ran it, and whose outputs are not all home.
#[derive(Debug)]
struct Kept<T> {
    at: ProcessId,
    task: T,
    outputs: Vec<DatumId>,
    missing: Vec<DatumId>,
}

/// The tasks that a process may have to send again, beside those that are not returned yet.
#[derive(Debug)]
pub struct Recovery<T> {
    kept: Vec<Kept<T>>,
    /// The outputs of tasks that may be sent again.
    outputs: BTreeSet<DatumId>,
}

impl<T> Default for Recovery<T> {
    fn default() -> Self {
        Recovery { kept: Vec::new(), outputs: BTreeSet::new() }
    }
}

impl<T> Recovery<T> {
    /// A task is sent that has these outputs.
    pub fn send(&mut self, outputs: &[DatumId]) {
        self.outputs.extend(outputs);
    }

    /// Whether a datum is an output of a task that may be sent again: it is not freed.
    pub fn keeps(&self, id: DatumId) -> bool {
        self.outputs.contains(&id) && !planted("an output is freed before its task is returned")
    }

    /// A task was returned by the process that ran it: gives it back if it will not be sent again. `is_home`: whether an
    /// output is home, or poisoned.
    pub fn returned(
        &mut self,
        at: ProcessId,
        task: T,
        outputs: Vec<DatumId>,
        is_home: impl Fn(DatumId) -> bool,
    ) -> Option<T> {
        let missing: Vec<DatumId> = outputs.iter().copied().filter(|id| !is_home(*id)).collect();
        if missing.is_empty() || planted("a task that has ended is not sent again") {
            self.forget(&outputs);
            return Some(task);
        }
        self.kept.push(Kept { at, task, outputs, missing });
        None
    }

    /// A datum's bytes are home, or will never be: gives the tasks that will not be sent again, with their outputs.
    pub fn is_home(&mut self, id: DatumId) -> Vec<(T, Vec<DatumId>)> {
        if !self.outputs.contains(&id) {
            return Vec::new();
        }
        for kept in &mut self.kept {
            kept.missing.retain(|missing| *missing != id);
        }
        let over: Vec<Kept<T>> = self.kept.extract_if(.., |kept| kept.missing.is_empty()).collect();
        for kept in &over {
            self.forget(&kept.outputs);
        }
        over.into_iter().map(|kept| (kept.task, kept.outputs)).collect()
    }

    /// A process is lost: gives the tasks that it had returned, and that are sent again.
    pub fn lost(&mut self, process: ProcessId) -> Vec<(T, Vec<DatumId>)> {
        let gone: Vec<Kept<T>> = self.kept.extract_if(.., |kept| kept.at == process).collect();
        gone.into_iter().map(|kept| (kept.task, kept.outputs)).collect()
    }

    /// A task with these outputs is not sent again.
    pub fn forget(&mut self, outputs: &[DatumId]) {
        for id in outputs {
            self.outputs.remove(id);
        }
    }

    /// Whether nothing is left to remember.
    pub fn is_idle(&self) -> bool {
        self.kept.is_empty() && self.outputs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> DatumId {
        DatumId::from_raw([0, number])
    }

    #[test]
    fn a_task_is_kept_until_all_its_outputs_are_home() {
        let mut recovery = Recovery::default();
        let runner = ProcessId::from_index(1);
        recovery.send(&[id(1), id(2)]);
        assert!(recovery.keeps(id(1)) && !recovery.keeps(id(3)));
        assert_eq!(recovery.returned(runner, "task", vec![id(1), id(2)], |_| false), None);
        assert!(recovery.is_home(id(2)).is_empty());
        assert!(recovery.keeps(id(2)));
        assert_eq!(recovery.is_home(id(1)), [("task", vec![id(1), id(2)])]);
        assert!(recovery.is_idle());
    }

    #[test]
    fn a_returned_task_is_sent_again_after_the_loss_of_its_runner_alone() {
        let mut recovery = Recovery::default();
        let (first, second) = (ProcessId::from_index(1), ProcessId::from_index(2));
        recovery.send(&[id(1)]);
        recovery.send(&[id(2)]);
        assert_eq!(recovery.returned(first, "one", vec![id(1)], |_| true), Some("one"));
        assert_eq!(recovery.returned(second, "two", vec![id(2)], |_| false), None);
        assert!(recovery.lost(first).is_empty());
        assert_eq!(recovery.lost(second), [("two", vec![id(2)])]);
        assert!(recovery.keeps(id(2)));
        recovery.forget(&[id(2)]);
        assert!(recovery.is_idle());
    }
}
