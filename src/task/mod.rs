//! Tasks: a processing and the data it is run on.
//!
//! A task descriptor is one cache line and has one owner at a time, which alone touches it:
//!
//! 1. the thread that schedules it;
//! 2. while an input is missing, the list of that datum: a task waits for one input after the other, and whoever
//!    publishes the one becomes the owner and looks at the next;
//! 3. the queue it is pushed to, then the worker that takes it out;
//! 4. the pool, once the task has ended.
//!
//! While a promise knows the task that produces it, or a task that waits for it, others may read what does not change
//! while the task is in use ([`Task::describe`]), under the lock of that promise.
#![allow(unsafe_code, reason = "descriptors are pooled and change owners through lists that allocate nothing")]

mod description;
mod item;
mod pool;

pub(crate) use description::TaskView;
pub(crate) use item::{Item, Ready};
pub(crate) use pool::{Cache, POOL};

use crate::data::{DataId, STORE};
use crate::error::Error;
use crate::memory;
use crate::processing::Plan;
use crate::sync::inbox::Link;

/// Up to so many arguments lie in the descriptor itself.
const INLINE: usize = 4;

/// Room for up to so many stays with the descriptor for its next task.
const KEPT: usize = 64;

/// The place of a task that has none yet.
pub(crate) const UNPLACED: u16 = u16::MAX;

/// A task descriptor. The link comes first: lists of links are lists of tasks.
#[repr(C, align(64))]
pub(crate) struct Task {
    link: Link,
    /// Its processing.
    plan: &'static Plan,
    /// The numbers of its data (the home process of all is this one).
    numbers: [u64; INLINE],
    /// The numbers of a task that has more of them; room for a few is kept for the next task.
    #[allow(clippy::box_collection, reason = "one word in the line")]
    more: Option<Box<Vec<u64>>>,
    /// The place of the input that it waits for.
    pub(crate) waits_for: u32,
    /// The worker that is to run it, or [`UNPLACED`].
    pub(crate) worker: u16,
    /// True when idle workers may steal it.
    pub(crate) near: bool,
    /// True when an input is poisoned.
    pub(crate) poisoned: bool,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Task>() == 64, "one cache line");

// SAFETY: one owner at a time, see above.
unsafe impl Send for Task {}

/// The numbers of a task's data, from the two places where they may lie.
#[inline]
#[allow(clippy::box_collection, clippy::ref_option, reason = "as the descriptor has it")]
fn numbers<'a>(few: &'a [u64; INLINE], more: &'a Option<Box<Vec<u64>>>, count: usize) -> &'a [u64] {
    match more {
        Some(more) if count > INLINE => more,
        _ => &few[..count.min(INLINE)],
    }
}

impl Task {
    /// A descriptor for the pool.
    pub(crate) fn blank() -> Task {
        Task {
            link: Link::new(),
            plan: Plan::none(),
            numbers: [0; INLINE],
            more: None,
            worker: UNPLACED,
            waits_for: 0,
            near: false,
            poisoned: false,
        }
    }

    /// Makes the descriptor stand for whatever task of this processing runs: it has no arguments.
    #[inline]
    pub(crate) fn stand_for(&mut self, plan: &'static Plan) {
        self.plan = plan;
    }

    /// Makes the descriptor a new task; it can be given back when there is no memory for its arguments.
    #[inline]
    pub(crate) fn fill(&mut self, plan: &'static Plan, ids: &[DataId], worker: u16) -> Result<(), Error> {
        self.plan = plan;
        self.worker = worker;
        self.near = worker == UNPLACED;
        self.poisoned = false;
        if ids.len() <= INLINE {
            for (number, id) in self.numbers.iter_mut().zip(ids) {
                *number = id[1];
            }
        } else {
            return self.fill_many(ids);
        }
        Ok(())
    }

    #[inline(never)]
    fn fill_many(&mut self, ids: &[DataId]) -> Result<(), Error> {
        let mut more = match self.more.take() {
            Some(more) => more,
            None => memory::boxed(Vec::new())?,
        };
        more.clear();
        let room = if ids.len() <= KEPT { ids.len().next_power_of_two() } else { ids.len() };
        memory::strictly(|| more.try_reserve_exact(room))?;
        more.extend(ids.iter().map(|id| id[1]));
        self.more = Some(more);
        Ok(())
    }

    /// Ends the task; the descriptor can be filled again.
    #[inline]
    fn clear(&mut self) {
        if self.more.as_ref().is_some_and(|more| more.capacity() > KEPT) {
            self.more = None;
        }
    }

    /// Its processing.
    #[inline]
    pub(crate) fn plan(&self) -> &'static Plan {
        self.plan
    }

    /// The numbers of its data: an id is a process, which is this one, and a number.
    #[inline]
    pub(crate) fn numbers(&self) -> &[u64] {
        numbers(&self.numbers, &self.more, self.plan.count)
    }

    /// The id of an argument.
    #[inline]
    pub(crate) fn id(&self, place: usize) -> DataId {
        [0, self.numbers()[place]]
    }

    /// Asks for the lines of the data that lie in the descriptor, which other threads may have written last.
    #[inline]
    pub(crate) fn expect_data(&self) {
        for &number in &self.numbers[..self.plan.count.min(INLINE)] {
            // SAFETY: the task keeps its data.
            unsafe { STORE.expect(number as u32) };
        }
    }

    /// The task as lists see it.
    #[inline]
    pub(crate) fn link(task: *mut Task) -> *mut Link {
        task.cast()
    }

    /// The task that a link stands for: the reverse of [`Task::link`].
    #[inline]
    pub(crate) fn of(link: *mut Link) -> *mut Task {
        link.cast()
    }
}
