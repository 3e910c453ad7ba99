//! Tasks: a processing and the data it is run on.
//!
//! A task descriptor is 24 bytes and a number for each argument, in a block of one of few sizes (`pool`). It has one owner at a
//! time, which alone touches it:
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
pub(crate) use pool::{POOL, TaskCache};

use std::slice;

use crate::data::{DatumId, STORE};
use crate::processing::Signature;
use crate::sync::inbox::{Link, Node};

/// The lines of so many data are asked for before the task is run.
const EXPECTED: usize = 4;

/// The place of a task that has none yet.
pub(crate) const UNPLACED: u16 = u16::MAX;

/// A task descriptor. The link comes first: lists of links are lists of tasks.
///
/// The numbers of the task's data follow (the home process of all is this one), as many as the processing has arguments.
/// They are reached by the address of the descriptor only, never through a reference to it, which would not extend to them.
#[repr(C)]
pub(crate) struct Task {
    link: Link,
    /// Its processing.
    signature: &'static Signature,
    /// The place of the input that it waits for.
    pub(crate) waits_for: u32,
    /// The worker that is to run it, or [`UNPLACED`].
    pub(crate) worker: u16,
    /// True when idle workers may steal it.
    pub(crate) near: bool,
    /// True when an input is poisoned.
    pub(crate) poisoned: bool,
    /// Where the numbers begin.
    first: [u64; 0],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Task>() == 24, "with one argument half a cache line");

// SAFETY: one owner at a time, see above.
unsafe impl Send for Task {}

impl Task {
    /// A descriptor without arguments.
    pub(crate) fn blank() -> Task {
        Task {
            link: Link::new(),
            signature: Signature::none(),
            worker: UNPLACED,
            waits_for: 0,
            near: false,
            poisoned: false,
            first: [],
        }
    }

    /// Makes the descriptor stand for whatever task of this processing runs: it has no arguments.
    #[inline]
    pub(crate) fn stand_for(&mut self, signature: &'static Signature) {
        debug_assert_eq!(signature.count, 0, "there is no room for numbers");
        self.signature = signature;
    }

    /// Makes the descriptor a new task.
    ///
    /// # Safety
    /// It came from the pool, with room for so many arguments as the processing has, of which there are as many ids; the caller
    /// owns it.
    #[inline]
    pub(crate) unsafe fn fill(task: *mut Task, signature: &'static Signature, ids: &[DatumId], worker: u16) {
        debug_assert_eq!(ids.len(), signature.count);
        // SAFETY: by this function's contract.
        unsafe {
            (*task).signature = signature;
            (*task).worker = worker;
            (*task).near = worker == UNPLACED;
            (*task).poisoned = false;
            let first = Task::first(task);
            match ids {
                [] => {}
                [id] => first.write(id.number()),
                [one, two] => {
                    first.write(one.number());
                    first.add(1).write(two.number());
                }
                _ => {
                    for (place, id) in ids.iter().enumerate() {
                        first.add(place).write(id.number());
                    }
                }
            }
        }
    }

    /// Where the numbers begin.
    #[inline]
    fn first(task: *const Task) -> *mut u64 {
        task.wrapping_add(1).cast::<u64>().cast_mut()
    }

    /// Its processing.
    #[inline]
    pub(crate) fn signature(&self) -> &'static Signature {
        self.signature
    }

    /// The numbers of a task's data: an id is a process, which is this one, and a number.
    ///
    /// # Safety
    /// The task is in use for as long as the numbers are, and its address came out of the pool or a list, not from a reference.
    #[inline]
    pub(crate) unsafe fn numbers<'a>(task: *const Task) -> &'a [u64] {
        // SAFETY: so many were written when it was filled, and they do not change while the task is in use.
        unsafe { slice::from_raw_parts(Task::first(task), (*task).signature.count) }
    }

    /// The id of an argument.
    ///
    /// # Safety
    /// As for [`Task::numbers`].
    #[inline]
    pub(crate) unsafe fn id(task: *const Task, place: usize) -> DatumId {
        // SAFETY: by this function's contract.
        DatumId::here(unsafe { Task::numbers(task) }[place])
    }

    /// Asks for the lines of the first data, which other threads may have written last.
    ///
    /// # Safety
    /// As for [`Task::numbers`]; the task keeps its data.
    #[inline]
    pub(crate) unsafe fn expect_data(task: *const Task) {
        // SAFETY: by this function's contract.
        unsafe {
            let numbers = Task::numbers(task);
            for &number in &numbers[..numbers.len().min(EXPECTED)] {
                STORE.expect(number as u32);
            }
        }
    }

    /// The task as lists see it.
    #[inline]
    pub(crate) fn link(task: *mut Task) -> *mut Link {
        task.cast()
    }

    /// The task that a link stands for: the reverse of [`Task::link`].
    #[inline]
    pub(crate) fn of(link: impl Into<*mut Link>) -> *mut Task {
        link.into().cast()
    }

    /// A task that belongs to the caller, as lists take it.
    ///
    /// # Safety
    /// It came out of the pool or a list, and is handed over.
    #[inline]
    pub(crate) unsafe fn node(task: *mut Task) -> Node {
        // SAFETY: by this function's contract; descriptors stay where they are.
        unsafe { Node::of(Task::link(task)) }.expect("a task has an address")
    }
}
