//! Tasks that need two cores each: their neighbours stand still, and all tasks end.

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::arbiter::{Arbiter, Workers};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::modelled::Owned;

models! {
    one_task finds [serve_while_neighbours_run, give_up_in_silence];
    two_tasks finds [serve_while_neighbours_run, give_up_without_serving];
}

/// Two workers, each with its signals and its core.
struct Machine {
    arbiter: Arbiter,
    wanted: [AtomicBool; 2],
    cores: [Owned<u32>; 2],
    busy: AtomicUsize,
}

impl Workers for Machine {
    fn nearest(&self, me: usize) -> impl Iterator<Item = usize> {
        std::iter::once(1 - me)
    }

    fn signal(&self, worker: usize) {
        self.wanted[worker].store(true, Ordering::SeqCst);
    }

    fn dismiss(&self, worker: usize) {
        self.wanted[worker].store(false, Ordering::SeqCst);
    }
}

impl Machine {
    fn new() -> Arc<Machine> {
        Arc::new(Machine {
            arbiter: Arbiter::new(2),
            wanted: [AtomicBool::new(false), AtomicBool::new(false)],
            cores: [Owned::new(0), Owned::new(0)],
            busy: AtomicUsize::new(2),
        })
    }

    /// The steps of a worker between two tasks.
    fn between(&self, me: usize) {
        if self.wanted[me].load(Ordering::SeqCst) {
            self.arbiter.stand_still(self, me);
        }
    }

    /// A task, or its part on this core.
    fn run(&self, me: usize) {
        // SAFETY: no neighbour has the core; loom is to show that.
        unsafe { self.cores[me].with(|core| *core += 1) };
    }

    /// A task of two cores.
    fn run_with_both(&self, me: usize) {
        assert!(self.arbiter.take(self, me, 2));
        (0..self.cores.len()).for_each(|core| self.run(core));
        assert!(self.arbiter.give_up(self, me));
    }

    /// A worker without tasks: it stands still if it is asked to, until no worker has tasks.
    fn rest(&self, me: usize) {
        self.busy.fetch_sub(1, Ordering::SeqCst);
        while self.busy.load(Ordering::SeqCst) > 0 {
            self.between(me);
            crate::sync::atomic::yield_now();
        }
    }
}

/// A task of two cores beside tasks of one.
fn one_task() {
    let machine = Machine::new();
    let other = Arc::clone(&machine);
    let other = thread::spawn(move || {
        other.run(1);
        other.between(1);
        other.run(1);
        other.rest(1);
    });
    machine.run_with_both(0);
    machine.rest(0);
    other.join().unwrap();
}

/// Two tasks of two cores: each stands still for the other.
fn two_tasks() {
    let machine = Machine::new();
    let other = Arc::clone(&machine);
    let other = thread::spawn(move || {
        other.run_with_both(1);
        other.rest(1);
    });
    machine.run_with_both(0);
    machine.between(0);
    machine.run(0);
    machine.rest(0);
    other.join().unwrap();
}
