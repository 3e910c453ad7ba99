//! `DVM_SEED`: orders drawn from a seed, the same ones each time.
//!
//! A worker then runs any of its ready tasks rather than the first, as the seed's numbers say. With one worker that
//! alone would not repeat a run, because the program goes on scheduling while tasks run; so tasks only run while a
//! thread of the program waits: for all of them, for a graph, or for one datum, and then until it is published. A
//! program that waits in a way of its own is let on after a while.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::sync::lock::{Condvar, Mutex};

use crate::data::{DatumId, STORE};
use crate::task::Item;

/// So long tasks wait for a program that does not wait for them.
const PATIENCE: Duration = Duration::from_secs(1);

/// So often a worker that stands at the gate looks whether something else is wanted of it.
const LOOK: Duration = Duration::from_millis(1);

/// What threads of the program wait for.
#[derive(Default)]
struct Waiting {
    /// Threads that wait for everything.
    all: usize,
    data: Vec<DatumId>,
    /// True while the only worker runs a task.
    busy: bool,
}

/// The choices of a seed.
pub(crate) struct Seeded {
    /// The generator of each worker; only the worker advances it.
    states: Box<[AtomicU64]>,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

impl Seeded {
    /// The choices of `seed` for so many workers.
    pub(crate) fn new(seed: u64, workers: usize) -> Seeded {
        let state = |worker: u64| AtomicU64::new(mix(seed ^ mix(worker)));
        Seeded { states: (0..workers as u64).map(state).collect(), waiting: Mutex::default(), changed: Condvar::new() }
    }

    /// Any of the worker's ready tasks, which `gather` moves to `batch`; `None` when there are none, or when something
    /// else is wanted of the worker.
    pub(crate) fn next(
        &self,
        worker: usize,
        batch: &mut VecDeque<Item>,
        any: impl Fn() -> bool,
        gather: impl Fn(&mut VecDeque<Item>),
        wanted: impl Fn() -> bool,
    ) -> Option<Item> {
        if self.states.len() == 1 {
            self.waiting.lock().busy = false;
            self.changed.notify_all();
        }
        // What lies ready is only looked at while the program waits: in how many parts it came shall not count.
        if (batch.is_empty() && !any()) || (self.states.len() == 1 && !self.pass(wanted)) {
            return None;
        }
        gather(batch);
        if batch.is_empty() {
            return None;
        }
        let choice = self.number(worker) % batch.len() as u64;
        batch.remove(choice as usize)
    }

    fn number(&self, worker: usize) -> u64 {
        let state = self.states[worker].load(Ordering::Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.states[worker].store(state, Ordering::Relaxed);
        mix(state)
    }

    /// Waits until a thread of the program waits; false when something else is wanted of the worker.
    fn pass(&self, wanted: impl Fn() -> bool) -> bool {
        let begin = Instant::now();
        let mut waiting = self.waiting.lock();
        let promised = |&id: &DatumId| STORE.is_promised(id);
        while waiting.all == 0 && !waiting.data.iter().any(promised) && begin.elapsed() < PATIENCE {
            if wanted() {
                return false;
            }
            self.changed.wait_for(&mut waiting, LOOK);
        }
        waiting.busy = true;
        true
    }

    /// While the value lives, the program waits for everything.
    pub(crate) fn wait(&self) -> impl Drop + '_ {
        self.waiting.lock().all += 1;
        self.changed.notify_all();
        Ends(self, None)
    }

    /// While the value lives, the program waits for this datum.
    pub(crate) fn wait_for(&self, id: DatumId) -> impl Drop + '_ {
        self.waiting.lock().data.push(id);
        self.changed.notify_all();
        Ends(self, Some(id))
    }
}

/// Ends a wait.
struct Ends<'a>(&'a Seeded, Option<DatumId>);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock();
        match self.1 {
            None => waiting.all -= 1,
            Some(id) => {
                if let Some(place) = waiting.data.iter().position(|&other| other == id) {
                    waiting.data.swap_remove(place);
                }
                // The task that has published it, early perhaps, ends before the program goes on.
                let end = Instant::now() + PATIENCE;
                while waiting.busy && !self.0.changed.wait_until(&mut waiting, end).timed_out() {}
            }
        }
    }
}

/// Mixes the bits of a number (splitmix64).
fn mix(number: u64) -> u64 {
    let mut mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
