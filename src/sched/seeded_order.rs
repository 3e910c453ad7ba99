//! `DVM_SEED`: reproducible orders drawn from a seed.
//!
//! A worker then runs any of its ready tasks, chosen by the seed's numbers, instead of the first. With one worker that
//! alone would not reproduce a run, because the program schedules while tasks run. So tasks only run while a thread of
//! the program waits: for all of them, for a graph, or for one datum until it is published. If a program waits in some
//! other way, tasks run after a while.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::sync::lock::{Condvar, Mutex};

use crate::data::{DatumId, STORE};
use crate::task::Item;

/// The longest time that tasks wait for the program, or the program for a task that published early.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Interval at which a worker that waits for the program checks `wanted`.
const CHECK_INTERVAL: Duration = Duration::from_millis(1);

/// What the program's threads wait for.
#[derive(Default)]
struct Waiting {
    /// Number of threads that wait for everything.
    all: usize,
    data: Vec<DatumId>,
    /// Whether the only worker runs a task.
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
    /// The choices of `seed` for `workers` workers.
    pub(crate) fn new(seed: u64, workers: usize) -> Seeded {
        let state = |worker: u64| AtomicU64::new(mix(seed ^ mix(worker)));
        Seeded { states: (0..workers as u64).map(state).collect(), waiting: Mutex::default(), changed: Condvar::new() }
    }

    /// Any of the worker's ready tasks, which `gather` moves to `batch`; `None` if there are none, or if the worker is
    /// wanted for something else.
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
        // Gathers only while the program waits: the choice must not depend on the portions in which tasks became ready.
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

    /// Waits until a thread of the program waits; false if the worker is wanted for something else.
    fn pass(&self, wanted: impl Fn() -> bool) -> bool {
        let begin = Instant::now();
        let mut waiting = self.waiting.lock();
        let promised = |&id: &DatumId| STORE.is_promised(id);
        while waiting.all == 0 && !waiting.data.iter().any(promised) && begin.elapsed() < MAX_WAIT {
            if wanted() {
                return false;
            }
            self.changed.wait_for(&mut waiting, CHECK_INTERVAL);
        }
        waiting.busy = true;
        true
    }

    /// While the value exists, the program waits for everything.
    pub(crate) fn wait(&self) -> impl Drop + '_ {
        self.waiting.lock().all += 1;
        self.changed.notify_all();
        Ends(self, None)
    }

    /// While the value exists, the program waits for this datum.
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
                // The task that published the datum, perhaps early, ends before the program goes on.
                let end = Instant::now() + MAX_WAIT;
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
