//! Tasks: a processing and the data it is run on.
//!
//! A task descriptor has one owner at a time, which alone touches its plain fields:
//!
//! 1. the thread that schedules it, until it gives its guard count up;
//! 2. then, if inputs are missing, nobody: whoever publishes the last one (brings `missing` to 0) becomes the owner;
//! 3. the ready queue it is pushed to, then the worker that takes it out;
//! 4. the pool, once the task has ended.
#![allow(unsafe_code, reason = "descriptors are pooled and change owners through lists that allocate nothing")]

mod description;
mod pool;

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32};

pub(crate) use description::TaskView;
pub(crate) use pool::{Cache, POOL};

use crate::data::{DataId, Owner, Wait};
use crate::processing::Plan;

/// Up to so many arguments lie in the descriptor itself.
const INLINE: usize = 4;

/// The place of a task that has none yet.
pub(crate) const UNPLACED: u32 = u32::MAX;

/// A task descriptor.
#[repr(align(64))]
pub(crate) struct Task {
    /// Inputs that are not published, and one for the thread that schedules it.
    pub(crate) missing: AtomicU32,
    /// Set when an input is poisoned, before `missing` is counted down for it.
    pub(crate) poisoned: AtomicBool,
    /// True when idle workers may steal it.
    pub(crate) near: bool,
    /// True when an output carries on the storage of an input.
    pub(crate) carries: bool,
    /// The worker that is to run it, or [`UNPLACED`].
    pub(crate) worker: u32,
    /// The next task of the list it is in.
    pub(crate) next: *mut Task,
    /// Its turn in the queue it is in.
    pub(crate) turn: u64,
    /// Its processing; `None` while it is in the pool.
    pub(crate) plan: Option<Plan>,
    /// True when the arguments lie in the descriptor itself.
    in_place: bool,
    ids: [DataId; INLINE],
    waits: [Wait; INLINE],
    /// The ids and waits of tasks with more arguments; they keep their memory for the next such task.
    more_ids: Vec<DataId>,
    more_waits: Vec<Wait>,
}

// SAFETY: one owner at a time, see above.
unsafe impl Send for Task {}

impl Task {
    /// A descriptor for the pool.
    fn blank() -> Task {
        Task {
            missing: AtomicU32::new(0),
            poisoned: AtomicBool::new(false),
            near: false,
            carries: false,
            worker: UNPLACED,
            next: ptr::null_mut(),
            turn: 0,
            plan: None,
            in_place: true,
            ids: [[0; 2]; INLINE],
            waits: [const { Wait::IDLE }; INLINE],
            more_ids: Vec::new(),
            more_waits: Vec::new(),
        }
    }

    /// Makes the descriptor a new task.
    #[inline]
    pub(crate) fn fill(&mut self, plan: Plan, ids: &[DataId], near: bool, worker: u32) {
        *self.poisoned.get_mut() = false;
        self.near = near;
        self.carries = false;
        self.worker = worker;
        self.plan = Some(plan);
        self.in_place = ids.len() <= INLINE;
        if self.in_place {
            self.ids[..ids.len()].copy_from_slice(ids);
        } else {
            self.more_ids.clear();
            self.more_ids.extend_from_slice(ids);
            self.more_waits.clear();
            self.more_waits.resize_with(ids.len(), || Wait::IDLE);
        }
    }

    /// Its processing.
    #[inline]
    pub(crate) fn plan(&self) -> &Plan {
        self.plan.as_ref().expect("a task in use has a processing")
    }

    /// The ids of its data.
    #[inline]
    pub(crate) fn ids(&self) -> &[DataId] {
        if self.in_place { &self.ids[..self.plan().count] } else { &self.more_ids }
    }

    /// The node with which a task waits for an argument, without touching the rest of the descriptor.
    ///
    /// # Safety
    /// The task is in use, and the calling thread may touch the fields that are not atomic.
    #[inline]
    pub(crate) unsafe fn wait_at(task: *mut Task, place: usize) -> *mut Wait {
        // SAFETY: by this function's contract; only the fields named are touched.
        unsafe {
            if place < INLINE && (*task).in_place {
                &raw mut (*task).waits[place]
            } else {
                (&mut (*task).more_waits)[place..].as_mut_ptr()
            }
        }
    }

    /// The id of an argument, without touching the rest of the descriptor.
    ///
    /// # Safety
    /// As for [`Task::wait_at`].
    #[inline]
    pub(crate) unsafe fn id_at(task: *mut Task, place: usize) -> DataId {
        // SAFETY: by this function's contract; only the fields named are touched.
        unsafe { if (*task).in_place { (*task).ids[place] } else { (&(*task).more_ids)[place] } }
    }

    /// The task as the data see it.
    #[inline]
    pub(crate) fn owner(task: *mut Task) -> Owner {
        Owner(task.cast())
    }
}
