//! A task in words, for whoever explains what waits for what.

use super::{INLINE, Task};
use crate::data::DataId;
use crate::processing::Mode;

/// What can be told of a task that another thread owns.
#[derive(Clone, Debug)]
pub(crate) struct TaskView {
    pub(crate) arguments: Vec<(Mode, DataId)>,
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
        unsafe { (*task).plan.map_or("", |plan| plan.description) }
    }

    /// Tells what it is. Reads only what does not change while the task is in use.
    ///
    /// # Safety
    /// As for [`Task::processing`].
    pub(crate) unsafe fn describe(task: *const Task) -> TaskView {
        // SAFETY: by this function's contract. Each field named is written before the task is seen by others and not
        // again while it is in use, but for the worker of a task near its data, which is not read.
        unsafe {
            let Some(plan) = (*task).plan else {
                return TaskView { arguments: Vec::new(), worker: None };
            };
            let in_place = (*task).in_place && plan.count <= INLINE;
            let id = |place: usize| if in_place { (*task).ids[place] } else { (&(*task).more_ids)[place] };
            TaskView {
                arguments: (0..plan.count).map(|place| (plan.mode(place), id(place))).collect(),
                worker: (!(*task).near).then(|| (*task).worker),
            }
        }
    }
}
