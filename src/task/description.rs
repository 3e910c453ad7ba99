//! A task in words, for whoever explains what waits for what.

use super::{Task, UNPLACED};
use crate::data::DatumId;
use crate::processing::Mode;

/// What can be told of a task that another thread owns.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskView {
    pub(crate) arguments: Vec<(Mode, DatumId)>,
    /// The worker that it was placed on; `None`: near its data.
    pub(crate) worker: Option<u32>,
}

impl Task {
    /// The description of its processing.
    ///
    /// # Safety
    /// The task is in use from before the call until after it.
    pub(crate) unsafe fn processing(task: *const Task) -> &'static str {
        // SAFETY: by this function's contract; the field does not change while the task is in use.
        unsafe { (*task).signature.description }
    }

    /// Tells what it is. Reads only what does not change while the task is in use.
    ///
    /// # Safety
    /// As for [`Task::processing`].
    pub(crate) unsafe fn describe(task: *const Task) -> TaskView {
        // SAFETY: by this function's contract. Each field read is written before the task is seen by others and not again
        // while it is in use, but for the worker of a task near its data, which is not read. There is no reference to the
        // whole task, of which its owner may be writing another part.
        unsafe {
            let signature = (*task).signature;
            let numbers = Task::numbers(task);
            let placed = !(*task).near && (*task).worker != UNPLACED;
            TaskView {
                arguments: numbers
                    .iter()
                    .enumerate()
                    .map(|(place, &number)| (signature.mode(place), DatumId::here(number)))
                    .collect(),
                worker: placed.then(|| u32::from((*task).worker)),
            }
        }
    }
}
