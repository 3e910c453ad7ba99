//! The end of an engine: nothing new is made after the first step, and no thread is inside when the memory is freed.

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::closing::{Closing, Presence};
use crate::idle::completion::{Counters, count, outstanding, sum};
use crate::sync::atomic::{AtomicBool, Ordering, yield_now};

models! {
    calls_meanwhile finds [enter_call_without_fence, close_without_fence];
    memory_that_is_freed finds [enter_call_without_fence, close_without_fence, leave_call_relaxed];
}

/// The state that outlives the engine.
struct Shared {
    presences: [Presence; 2],
    closing: Closing,
    counters: Counters,
    /// Stands for `ENGINE`: set when the engine is hidden.
    hidden: AtomicBool,
    /// The engine's memory: threads inside read it, and then the thread that ends the engine frees it.
    memory: loom::cell::Cell<bool>,
}

// SAFETY: loom checks which threads read and write the memory.
unsafe impl Sync for Shared {}
// SAFETY: as above.
unsafe impl Send for Shared {}

impl Shared {
    fn new() -> Arc<Shared> {
        Arc::new(Shared {
            presences: Default::default(),
            closing: Closing::default(),
            counters: Counters::default(),
            hidden: AtomicBool::new(false),
            memory: loom::cell::Cell::new(true),
        })
    }

    /// The threads other than the first, which ends the engine.
    fn others(&self) -> impl Fn(&mut dyn FnMut(&Presence)) + '_ {
        |visit| self.presences[1..].iter().for_each(|presence| visit(presence))
    }

    /// A call of thread `me` that makes a task, as `engine::enter` and `Call::open` do. The thread runs the task
    /// itself.
    fn call(&self, me: usize) {
        let open = || !self.hidden.load(Ordering::Acquire) && !self.closing.is_closed();
        if self.presences[me].enter(|| open().then_some(())).is_none() {
            return;
        }
        // A thread that is inside keeps the engine; the model is to show that.
        assert!(self.memory.get());
        if !self.closing.has_begun() {
            count(&self.counters.scheduled);
        }
        self.presences[me].leave();
    }

    fn scheduled(&self) -> u64 {
        outstanding(|which| sum([&self.counters].into_iter(), which))
    }
}

/// Calls that begin during the first step: after the step, no task is added.
fn calls_meanwhile() {
    let shared = Shared::new();
    let other = Arc::clone(&shared);
    let other = thread::spawn(move || {
        other.call(1);
        other.call(1);
    });
    let mut inside = shared.closing.begin(shared.others());
    while inside.any_at_work() {
        yield_now();
    }
    let before = shared.scheduled();
    let mut inside = shared.closing.close(shared.others());
    while inside.any() {
        yield_now();
    }
    other.join().unwrap();
    assert_eq!(shared.scheduled(), before, "a task was made after the first step");
}

/// The engine is hidden, and its memory freed.
fn memory_that_is_freed() {
    let shared = Shared::new();
    let other = Arc::clone(&shared);
    let other = thread::spawn(move || {
        other.call(1);
        other.call(1);
    });
    shared.hidden.store(true, Ordering::SeqCst);
    let mut inside = crate::idle::closing::Inside::now(shared.others());
    while inside.any() {
        yield_now();
    }
    // No thread is inside, and none will be; the model is to show that.
    shared.memory.set(false);
    other.join().unwrap();
}
