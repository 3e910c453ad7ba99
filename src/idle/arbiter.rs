//! Tasks that need several cores: meanwhile the worker's nearest neighbours stand still.
//!
//! One arbiter, asked under one lock, by such tasks only. Requests are served strictly in the order in which they came:
//! the first one marks the nearest workers that nobody else has, waits until each of them has ended its task and stands
//! still, and only then the next request is looked at. A worker that waits for its own request stands still too, and
//! can be marked for an earlier one.
//!
//! So there is no deadlock: the first request waits for tasks that run and for nothing else. Tasks that run hold what
//! they hold until they end or begin a blocking section; in a section they hold nothing (`slot.rs`).

use std::collections::VecDeque;

use super::planted::planted;
use crate::sync::modelled::{Condvar, Mutex};

/// The workers whose cores are given.
pub(crate) trait Workers {
    /// The other workers, the nearest first.
    fn nearest(&self, me: usize) -> impl Iterator<Item = usize>;
    /// Asks a worker to come to [`Arbiter::stand_still`] before its next task, and wakes it.
    fn signal(&self, worker: usize);
    /// Takes that back.
    fn dismiss(&self, worker: usize);
}

/// What the arbiter knows of a worker.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The worker for whose task this one stands still, or is to.
    kept_for: Option<usize>,
    /// True while no task runs here, and none will before the arbiter has been asked.
    still: bool,
    /// The cores of the task that runs here; 0: it has asked for none.
    cores: u32,
}

struct Request {
    worker: usize,
    cores: u32,
    /// True once its neighbours are marked.
    marked: bool,
}

struct State {
    places: Box<[Place]>,
    /// In the order in which they came.
    requests: VecDeque<Request>,
}

/// Who stands still for whom.
pub(crate) struct Arbiter {
    state: Mutex<State>,
    /// One per worker: the thread on its slot waits here, and nobody else.
    changed: Box<[Condvar]>,
}

impl Arbiter {
    /// Of so many workers, none of which stands still.
    pub(crate) fn new(workers: usize) -> Arbiter {
        let places = vec![Place::default(); workers].into();
        let state = Mutex::new(State { places, requests: VecDeque::new() });
        Arbiter { state, changed: (0..workers).map(|_| Condvar::new()).collect() }
    }

    /// The cores that the task of worker `me` has; 0 when it has asked for none.
    pub(crate) fn held_by(&self, me: usize) -> u32 {
        self.state.lock().places[me].cores
    }

    /// Waits until `cores - 1` neighbours of worker `me`, or all when there are not so many, stand still for its task.
    /// False when it needs none.
    pub(crate) fn take(&self, workers: &impl Workers, me: usize, cores: u32) -> bool {
        let cores = cores.min(self.changed.len() as u32);
        if cores <= 1 {
            return false;
        }
        let mut state = self.state.lock();
        state.requests.push_back(Request { worker: me, cores, marked: false });
        state.places[me].still = true;
        self.serve(workers, &mut state);
        while state.places[me].cores == 0 {
            self.changed[me].wait(&mut state);
        }
        true
    }

    /// Lets the neighbours of worker `me` go on. False when it has none.
    pub(crate) fn give_up(&self, workers: &impl Workers, me: usize) -> bool {
        let mut state = self.state.lock();
        if state.places[me].cores == 0 {
            return false;
        }
        state.places[me].cores = 0;
        for worker in 0..state.places.len() {
            if state.places[worker].kept_for == Some(me) {
                state.places[worker].kept_for = None;
                workers.dismiss(worker);
                if !planted("give_up_in_silence") {
                    self.changed[worker].notify_one();
                }
            }
        }
        if !planted("give_up_without_serving") {
            self.serve(workers, &mut state);
        }
        true
    }

    /// Stands still as long as worker `me` is kept for another's task. Between tasks.
    pub(crate) fn stand_still(&self, workers: &impl Workers, me: usize) {
        let mut state = self.state.lock();
        state.places[me].still = true;
        self.serve(workers, &mut state);
        while state.places[me].kept_for.is_some() {
            self.changed[me].wait(&mut state);
        }
        state.places[me].still = false;
    }

    /// Serves requests from the first on, as far as possible.
    fn serve(&self, workers: &impl Workers, state: &mut State) {
        while let Some(request) = state.requests.front() {
            let (me, cores) = (request.worker, request.cores);
            if !request.marked && !mark(workers, &mut state.places, me, cores) {
                return;
            }
            if let Some(request) = state.requests.front_mut() {
                request.marked = true;
            }
            let moves = |place: &Place| place.kept_for == Some(me) && !place.still;
            if state.places.iter().any(moves) && !planted("serve_while_neighbours_run") {
                return;
            }
            state.requests.pop_front();
            state.places[me].cores = cores;
            state.places[me].still = false;
            self.changed[me].notify_one();
        }
    }
}

/// Marks the nearest workers that are free for a task of worker `me`. False when there are not enough, or when `me`
/// itself is to stand still for another.
fn mark(workers: &impl Workers, places: &mut [Place], me: usize, cores: u32) -> bool {
    if places[me].kept_for.is_some() {
        return false;
    }
    let free = |&other: &usize| places[other].kept_for.is_none() && places[other].cores == 0;
    let chosen: Vec<usize> = workers.nearest(me).filter(free).take(cores as usize - 1).collect();
    if chosen.len() + 1 < cores as usize {
        return false;
    }
    for other in chosen {
        places[other].kept_for = Some(me);
        workers.signal(other);
    }
    true
}
