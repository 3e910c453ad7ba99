//! A view of a task, for explanations of what waits for what.

use super::{TaskRef, UNPLACED};
use crate::data::DatumId;
use crate::processing::Mode;

/// The facts about a task that another thread owns.
#[derive(Clone, Debug, Default)]
pub(crate) struct TaskView {
    pub(crate) arguments: Vec<(Mode, DatumId)>,
    /// The worker that the task was placed on; `None`: near its data.
    pub(crate) worker: Option<u32>,
}

impl TaskRef<'_> {
    /// The description of its processing.
    pub(crate) fn processing(self) -> &'static str {
        self.task().signature().description
    }

    /// A view of the task. Reads only what does not change while the task is in use: not the worker of a task near its
    /// data.
    pub(crate) fn describe(self) -> TaskView {
        let (task, signature) = (self.task(), self.task().signature());
        let arguments = self.numbers().iter().enumerate();
        let placed = !task.is_near() && task.worker() != UNPLACED;
        TaskView {
            arguments: arguments.map(|(place, &number)| (signature.mode(place), DatumId::here(number))).collect(),
            worker: placed.then(|| u32::from(task.worker())),
        }
    }
}
