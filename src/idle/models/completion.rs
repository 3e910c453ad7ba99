//! The last end of a task wakes the thread that waits for all, and that thread sees what the tasks did.

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::completion::{Completion, Counters, count, outstanding, sum};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

models! {
    the_last_end finds [wait_without_fence, notify_without_fence, notify_without_lock];
    a_task_that_schedules finds [ends_read_last];
}

/// Counters of the waiter and of two workers.
struct Shared {
    completion: Completion,
    counters: [Counters; 3],
    results: AtomicUsize,
    /// Set when the first task has scheduled the second one.
    second: AtomicBool,
}

impl Shared {
    fn new() -> Arc<Shared> {
        let shared = Shared {
            completion: Completion::default(),
            counters: Default::default(),
            results: AtomicUsize::new(0),
            second: AtomicBool::new(false),
        };
        count(&shared.counters[0].scheduled);
        Arc::new(shared)
    }

    fn outstanding(&self) -> u64 {
        outstanding(|which| sum(self.counters.iter(), which))
    }

    /// A task on worker `me`, after which the worker has no other.
    fn run(&self, me: usize) {
        self.results.fetch_add(1, Ordering::Relaxed);
        count(&self.counters[me].ended);
        self.completion.notify();
    }
}

/// One task ends while a thread is about to wait for it.
fn the_last_end() {
    let shared = Shared::new();
    let worker = Arc::clone(&shared);
    let worker = thread::spawn(move || worker.run(1));
    shared.completion.wait_until(true, || shared.outstanding() == 0);
    assert_eq!(shared.results.load(Ordering::Relaxed), 1);
    worker.join().unwrap();
}

/// A task schedules another one on another worker: the counts never say in between that there is no task.
fn a_task_that_schedules() {
    let shared = Shared::new();
    let workers = [1, 2].map(|me| {
        let worker = Arc::clone(&shared);
        thread::spawn(move || {
            if me == 1 {
                count(&worker.counters[1].scheduled);
                worker.second.store(true, Ordering::Release);
                worker.run(1);
            } else if worker.second.load(Ordering::Acquire) {
                worker.run(2);
            }
        })
    });
    if shared.outstanding() == 0 {
        assert_eq!(shared.results.load(Ordering::Relaxed), 2, "the second task was forgotten");
    }
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}
