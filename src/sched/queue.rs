//! A worker's ready tasks, in the order in which they became ready.
//!
//! Tasks placed by rank and tasks that others may steal lie in two lists under one lock per worker; each task has its
//! turn, so that the owner takes them in one order, and a thief finds the oldest task that it may have at once. The
//! lock is taken to hand work over, never by all workers. The owner takes several placed tasks under one lock.
//!
//! `length` and `stealable` are hints for those who look without the lock. They are stored under the lock, so that
//! whoever stores last stores the truth.

use std::collections::VecDeque;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::task::Task;

/// The owner takes at most so many tasks at a time.
const BATCH: usize = 32;

/// Tasks linked through their `next`.
struct List {
    first: *mut Task,
    last: *mut Task,
    length: usize,
}

impl List {
    const EMPTY: List = List { first: ptr::null_mut(), last: ptr::null_mut(), length: 0 };

    /// # Safety
    /// The caller owns the task and hands it to the list.
    unsafe fn push(&mut self, task: *mut Task) {
        // SAFETY: owned by the caller; `last` is owned by the list.
        unsafe {
            (*task).next = ptr::null_mut();
            if self.last.is_null() {
                self.first = task;
            } else {
                (*self.last).next = task;
            }
        }
        self.last = task;
        self.length += 1;
    }

    fn pop(&mut self) -> Option<*mut Task> {
        let task = self.first;
        if task.is_null() {
            return None;
        }
        // SAFETY: the list owns its tasks.
        self.first = unsafe { (*task).next };
        if self.first.is_null() {
            self.last = ptr::null_mut();
        }
        self.length -= 1;
        Some(task)
    }

    /// The turn of the first task; the end of time when there is none.
    fn turn(&self) -> u64 {
        // SAFETY: the list owns its tasks.
        if self.first.is_null() { u64::MAX } else { unsafe { (*self.first).turn } }
    }
}

struct Lists {
    placed: List,
    stealable: List,
    turn: u64,
}

// SAFETY: the lists own their tasks, and tasks may change threads.
unsafe impl Send for Lists {}

/// A worker's ready tasks.
pub(crate) struct ReadyQueue {
    lists: Mutex<Lists>,
    length: AtomicUsize,
    stealable: AtomicUsize,
}

impl ReadyQueue {
    /// No tasks.
    pub(crate) fn new() -> ReadyQueue {
        let lists = Lists { placed: List::EMPTY, stealable: List::EMPTY, turn: 0 };
        ReadyQueue { lists: Mutex::new(lists), length: AtomicUsize::new(0), stealable: AtomicUsize::new(0) }
    }

    fn publish_lengths(&self, lists: &Lists) {
        self.length.store(lists.placed.length + lists.stealable.length, Ordering::Release);
        self.stealable.store(lists.stealable.length, Ordering::Release);
    }

    /// Appends a task that has become ready.
    ///
    /// # Safety
    /// The caller owns the task and hands it over.
    pub(crate) unsafe fn push(&self, task: *mut Task) {
        let mut lists = self.lists.lock();
        lists.turn += 1;
        // SAFETY: owned by the caller.
        let near = unsafe {
            (*task).turn = lists.turn;
            (*task).near
        };
        let list = if near { &mut lists.stealable } else { &mut lists.placed };
        // SAFETY: owned by the caller, and handed over.
        unsafe { list.push(task) };
        self.publish_lengths(&lists);
    }

    /// For the owner: appends the next tasks to `batch`, which the owner will run in this order. A stealable task is
    /// only taken to be run at once.
    pub(crate) fn take(&self, batch: &mut VecDeque<*mut Task>) {
        if self.is_empty() {
            return;
        }
        let mut lists = self.lists.lock();
        while batch.len() < BATCH {
            if lists.placed.turn() < lists.stealable.turn() {
                batch.extend(lists.placed.pop());
            } else if batch.is_empty() {
                batch.extend(lists.stealable.pop());
                break;
            } else {
                break;
            }
        }
        self.publish_lengths(&lists);
    }

    /// For others: the oldest task that may be stolen.
    pub(crate) fn steal(&self) -> Option<*mut Task> {
        if self.stealable.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut lists = self.lists.lock();
        let task = lists.stealable.pop();
        self.publish_lengths(&lists);
        task
    }

    /// True when there is nothing for the owner.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.length.load(Ordering::Acquire) == 0
    }

    /// How many tasks there are.
    pub(crate) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    /// True when there is something for others.
    #[inline]
    pub(crate) fn has_stealable(&self) -> bool {
        self.stealable.load(Ordering::Acquire) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{Cache, POOL};

    fn task(cache: &mut Cache, near: bool) -> *mut Task {
        let task = POOL.take(cache);
        // SAFETY: just taken.
        unsafe { (*task).near = near };
        task
    }

    #[test]
    fn the_owner_takes_both_kinds_in_the_order_of_readiness() {
        let (queue, mut cache) = (ReadyQueue::new(), Cache::new());
        let kinds = [false, false, true, false, true, true, false];
        let tasks = kinds.map(|near| task(&mut cache, near));
        // SAFETY: each task is taken from the pool and owned here.
        tasks.iter().for_each(|&task| unsafe { queue.push(task) });
        let mut order = Vec::new();
        while !queue.is_empty() {
            let mut batch = VecDeque::new();
            queue.take(&mut batch);
            order.extend(batch);
        }
        assert_eq!(order, tasks);
        // SAFETY: out of the queue again.
        tasks.iter().for_each(|&task| unsafe { POOL.give(&mut cache, task) });
    }

    #[test]
    fn thieves_take_the_oldest_stealable_task_and_never_a_placed_one() {
        let (queue, mut cache) = (ReadyQueue::new(), Cache::new());
        let tasks = [false, true, false, true].map(|near| task(&mut cache, near));
        // SAFETY: each task is taken from the pool and owned here.
        tasks.iter().for_each(|&task| unsafe { queue.push(task) });
        assert_eq!(queue.steal(), Some(tasks[1]));
        assert_eq!(queue.steal(), Some(tasks[3]));
        assert_eq!(queue.steal(), None);
        assert!(!queue.has_stealable());
        let mut batch = VecDeque::new();
        queue.take(&mut batch);
        assert_eq!(batch, [tasks[0], tasks[2]]);
        // SAFETY: out of the queue again.
        tasks.iter().for_each(|&task| unsafe { POOL.give(&mut cache, task) });
    }
}
