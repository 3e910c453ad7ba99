//! Tasks: a processing, and the data that it runs on.
//!
//! A task descriptor has 24 bytes and a number per argument, in a block of one of a few sizes (`pool`). A descriptor
//! has one owner at a time, which holds an [`OwnedTask`] and moves it on:
//!
//! 1. the thread that schedules it;
//! 2. while an input is missing, the list of that datum: a task waits for one input after the other, and the thread
//!    that publishes an input becomes the owner and checks the next;
//! 3. the queue that the task is pushed to, then the worker that takes the task out;
//! 4. the pool, once the task has ended.
//!
//! A promise knows the task that produces it, and the tasks that wait for it. As long as it does, other threads may
//! read, under the promise's lock, what does not change while the task is in use ([`TaskRef`]).
#![allow(unsafe_code, reason = "descriptors are pooled and change owners through lists that allocate nothing")]

mod item;
mod pool;
mod task_view;

pub(crate) use item::{Item, ItemDeque, Ready, WorkerEnd};
pub(crate) use pool::{POOL, TaskCache};
pub(crate) use task_view::TaskView;

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::{AtomicU16, Ordering};

use crate::data::{DatumId, STORE};
use crate::processing::Signature;
use crate::sync::inbox::{Link, Node, NodeRef};

/// The number of data whose cache lines are prefetched before a task runs.
const EXPECTED: usize = 4;

/// An input of the task is poisoned.
const POISONED: u8 = 1;

/// Other processes take part in the task: some of its data are proxies, or another process has scheduled it.
const SHARED: u8 = 2;

/// The worker of a task that has none yet.
pub(crate) const UNPLACED: u16 = u16::MAX;

/// A task descriptor. The link comes first: lists of links are lists of tasks.
///
/// The numbers of the task's data follow the struct, as many as the processing has arguments; the home process of all
/// data is this one. They are reached by the address of the descriptor only: a reference to the descriptor would not
/// extend to them.
#[repr(C)]
pub(crate) struct Task {
    link: Link,
    /// Its processing.
    signature: &'static Signature,
    /// The place of the missing input, or the number of a shared task, which misses none; for the owner only.
    waits_for: Cell<u32>,
    /// The worker that is to run it, or [`UNPLACED`].
    worker: AtomicU16,
    /// True if idle workers may steal the task.
    near: bool,
    /// What is not as it mostly is: [`POISONED`], [`SHARED`]; for the owner only.
    marks: Cell<u8>,
    /// The beginning of the numbers.
    first: [u64; 0],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Task>() == 24, "with one argument half a cache line");

impl Task {
    /// A descriptor without arguments.
    fn blank() -> Task {
        Task {
            link: Link::new(),
            signature: Signature::none(),
            waits_for: Cell::new(0),
            worker: AtomicU16::new(UNPLACED),
            near: false,
            marks: Cell::new(0),
            first: [],
        }
    }

    /// Its processing.
    #[inline]
    pub(crate) fn signature(&self) -> &'static Signature {
        self.signature
    }

    /// True if idle workers may steal the task.
    #[inline]
    pub(crate) fn is_near(&self) -> bool {
        self.near
    }

    /// The worker that is to run it, or [`UNPLACED`].
    #[inline]
    pub(crate) fn worker(&self) -> u16 {
        self.worker.load(Ordering::Relaxed)
    }

    /// Sets the worker that is to run the task.
    #[inline]
    pub(crate) fn set_worker(&self, worker: u16) {
        self.worker.store(worker, Ordering::Relaxed);
    }
}

/// A task of another owner, which keeps the task in use for as long as `'a`.
#[derive(Clone, Copy)]
pub(crate) struct TaskRef<'a>(NonNull<Task>, PhantomData<&'a Task>);

impl<'a> TaskRef<'a> {
    #[inline]
    fn task(self) -> &'a Task {
        // SAFETY: the task is in use for `'a`. What may change is atomic, or in a cell that only the owner reads.
        unsafe { self.0.as_ref() }
    }

    /// The numbers of the task's data: an id is a process, which is this one, and a number.
    #[inline]
    fn numbers(self) -> &'a [u64] {
        // SAFETY: the address is that of the whole block, and the numbers were written when the task was made; they do
        // not change while the task is in use.
        unsafe { slice::from_raw_parts(first(self.0), self.task().signature.count) }
    }

    /// The address of the task, for comparisons.
    pub(crate) fn address(self) -> usize {
        self.0.addr().get()
    }
}

impl<'a> From<NodeRef<'a>> for TaskRef<'a> {
    /// Each node begins a descriptor (`Node::of`).
    #[inline]
    fn from(node: NodeRef<'a>) -> TaskRef<'a> {
        TaskRef(NonNull::<Link>::from(node).cast(), PhantomData)
    }
}

/// The address of the numbers.
#[inline]
fn first(task: NonNull<Task>) -> *mut u64 {
    task.as_ptr().wrapping_add(1).cast()
}

/// A task that belongs to the owner of the value. It came from the pool. If the value is dropped, the task never runs,
/// and its memory is not freed.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OwnedTask(NonNull<Task>);

// SAFETY: the task belongs to the value.
unsafe impl Send for OwnedTask {}

impl OwnedTask {
    /// Makes a free block a task of this processing on these data.
    ///
    /// # Safety
    /// The block is a free one of the pool, belongs to the caller alone, and has room for as many numbers as there are
    /// ids.
    #[inline]
    unsafe fn fill(free: NonNull<Task>, signature: &'static Signature, ids: &[DatumId], worker: u16) -> OwnedTask {
        assert_eq!(ids.len(), signature.count, "as many ids as arguments");
        let (task, first) = (free.as_ptr(), first(free));
        // SAFETY: by this function's contract.
        unsafe {
            (*task).signature = signature;
            (*task).worker = AtomicU16::new(worker);
            (*task).near = worker == UNPLACED;
            (*task).marks = Cell::new(0);
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
        OwnedTask(free)
    }

    /// The task's descriptor; the caller is responsible for its use.
    #[inline]
    fn into_raw(self) -> NonNull<Task> {
        self.0
    }

    /// A reference to the task, as other threads have it.
    #[inline]
    fn shown(&self) -> TaskRef<'_> {
        TaskRef(self.0, PhantomData)
    }

    /// The numbers of the task's data: an id is a process, which is this one, and a number.
    #[inline]
    pub(crate) fn numbers(&self) -> &[u64] {
        self.shown().numbers()
    }

    /// The id of an argument.
    #[inline]
    pub(crate) fn id(&self, place: usize) -> DatumId {
        DatumId::here(self.numbers()[place])
    }

    /// Prefetches the first data, which other threads may have written last.
    #[inline]
    pub(crate) fn expect_data(&self) {
        let numbers = self.numbers();
        for &number in &numbers[..numbers.len().min(EXPECTED)] {
            STORE.expect(number as u32);
        }
    }

    /// The place of the missing input.
    #[inline]
    pub(crate) fn waits_for(&self) -> usize {
        self.waits_for.get() as usize
    }

    /// Sets the place of the missing input.
    #[inline]
    pub(crate) fn wait_for(&self, place: usize) {
        self.waits_for.set(place as u32);
    }

    /// True if an input is poisoned.
    #[inline]
    pub(crate) fn is_poisoned(&self) -> bool {
        self.marks.get() & POISONED != 0
    }

    /// True if an input is poisoned, or other processes take part.
    #[inline]
    pub(crate) fn is_marked(&self) -> bool {
        self.marks.get() != 0
    }

    /// True if other processes take part in the task.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.marks.get() & SHARED != 0
    }

    /// Marks the task, which misses no input: other processes take part in it, under this number of the job.
    pub(crate) fn share(&self, number: u32) {
        self.marks.set(self.marks.get() | SHARED);
        self.waits_for.set(number);
    }

    /// The number of a shared task.
    pub(crate) fn number(&self) -> u32 {
        self.waits_for.get()
    }

    /// Marks an input as poisoned.
    #[inline]
    pub(crate) fn poison(&self) {
        self.marks.set(self.marks.get() | POISONED);
    }

    /// The address of the task, for comparisons.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        self.0.addr().get()
    }

    /// The link by which a promise knows its producer.
    #[inline]
    pub(crate) fn link(&self) -> *mut Link {
        self.0.as_ptr().cast()
    }
}

impl Deref for OwnedTask {
    type Target = Task;
    #[inline]
    fn deref(&self) -> &Task {
        self.shown().task()
    }
}

impl From<OwnedTask> for Node {
    /// The task as a node of a list.
    #[inline]
    fn from(task: OwnedTask) -> Node {
        // SAFETY: the task is owned and handed over; descriptors stay where they are.
        unsafe { Node::of(task.link()) }.expect("a task has an address")
    }
}

impl From<Node> for OwnedTask {
    /// Each node begins a descriptor (`Node::of`), and belongs to its owner.
    #[inline]
    fn from(node: Node) -> OwnedTask {
        OwnedTask(NonNull::<Link>::from(node).cast())
    }
}
