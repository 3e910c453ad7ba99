//! Tasks that need several cores: while such a task runs, the worker's nearest neighbours stand still.
//!
//! There is one arbiter, with one lock, and only such tasks ask it. Requests are served strictly in the order of
//! arrival. The first request marks the nearest workers that no other task has, and waits until each of them has ended
//! its task and stands still; only then the next request is considered. A worker that waits for its own request also
//! stands still, and can be marked for an earlier request.
//!
//! There is no deadlock: the first request waits only for running tasks. A running task holds its cores until it ends
//! or begins a blocking section; in a section it holds none (`slot.rs`).

use std::collections::VecDeque;

use super::planted::planted;
use crate::sync::modelled::{Condvar, Mutex};

/// The workers whose cores the arbiter gives.
pub(crate) trait Workers {
    /// The other workers, the nearest first.
    fn nearest(&self, me: usize) -> impl Iterator<Item = usize>;
    /// Asks a worker to call [`Arbiter::stand_still`] before its next task, and wakes the worker.
    fn signal(&self, worker: usize);
    /// Withdraws that request.
    fn dismiss(&self, worker: usize);
}

/// The arbiter's state of a worker.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The worker for whose task this one stands still, or will.
    kept_for: Option<usize>,
    /// True while no task runs here, and none will before the worker has asked the arbiter.
    still: bool,
    /// The cores that the running task has asked for; 0: none.
    cores: u32,
}

struct Request {
    worker: usize,
    cores: u32,
    /// True once the request has marked its neighbours.
    marked: bool,
}

struct State {
    places: Box<[Place]>,
    /// The waiting requests, in the order of arrival.
    requests: VecDeque<Request>,
}

/// The cores that are given, and the requests that wait.
pub(crate) struct Arbiter {
    state: Mutex<State>,
    /// One condition per worker. Only the thread that holds the worker's slot waits on it.
    changed: Box<[Condvar]>,
}

impl Arbiter {
    /// An arbiter of this number of workers, none of which stands still.
    pub(crate) fn new(workers: usize) -> Arbiter {
        let places = vec![Place::default(); workers].into();
        let state = Mutex::new(State { places, requests: VecDeque::new() });
        Arbiter { state, changed: (0..workers).map(|_| Condvar::new()).collect() }
    }

    /// The cores of the task of worker `me`; 0 if the task has asked for none.
    pub(crate) fn held_by(&self, me: usize) -> u32 {
        self.state.lock().places[me].cores
    }

    /// Waits until `cores - 1` neighbours of worker `me` (or all, if there are fewer) stand still for its task. False
    /// if the task needs no neighbour.
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

    /// Lets the neighbours of worker `me` continue. False if its task has none.
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

    /// Between tasks: stands still as long as worker `me` is kept for another worker's task.
    pub(crate) fn stand_still(&self, workers: &impl Workers, me: usize) {
        let mut state = self.state.lock();
        state.places[me].still = true;
        self.serve(workers, &mut state);
        while state.places[me].kept_for.is_some() {
            self.changed[me].wait(&mut state);
        }
        state.places[me].still = false;
    }

    /// Grants requests from the first on, as far as possible.
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

/// Marks the nearest free workers for a task of worker `me`. False if there are too few, or if `me` itself has to stand
/// still for another worker.
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
