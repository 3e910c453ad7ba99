//! Tasks that need several cores: meanwhile the worker's nearest neighbours stand still.
//!
//! One arbiter, asked under one lock, by such tasks only. Requests are served strictly in the order in which they came:
//! the first one marks the nearest workers that nobody else has, waits until each of them has ended its task and stands
//! still, and only then the next request is looked at. A worker that waits for its own request stands still too, and
//! can be marked for an earlier one.
//!
//! So there is no deadlock: the first request waits for tasks that run and for nothing else. Tasks that run hold what
//! they hold until they end or begin a blocking section; in a section they hold nothing (`blocking.rs`).

use std::collections::VecDeque;

use crate::sync::lock::{Condvar, Mutex};

use super::Engine;
use super::blocking::STILL_WANTED;

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
pub(super) struct Arbiter {
    state: Mutex<State>,
    /// One per worker: the thread on its slot waits here, and nobody else.
    changed: Box<[Condvar]>,
}

impl Arbiter {
    pub(super) fn new(workers: usize) -> Arbiter {
        let places = vec![Place::default(); workers].into();
        let state = Mutex::new(State { places, requests: VecDeque::new() });
        Arbiter { state, changed: (0..workers).map(|_| Condvar::new()).collect() }
    }

    /// The cores that the task of worker `me` has; 0 when it has asked for none.
    pub(super) fn held_by(&self, me: usize) -> u32 {
        self.state.lock().places[me].cores
    }

    /// Waits until `cores - 1` neighbours of worker `me`, or all when there are not so many, stand still for its task.
    pub(super) fn take(&self, engine: &Engine, me: usize, cores: u32) {
        let cores = cores.min(engine.workers() as u32);
        if cores <= 1 {
            return;
        }
        let mut state = self.state.lock();
        state.requests.push_back(Request { worker: me, cores, marked: false });
        state.places[me].still = true;
        self.serve(engine, &mut state);
        while state.places[me].cores == 0 {
            self.changed[me].wait(&mut state);
        }
        drop(state);
        engine.machine.unbind();
    }

    /// Lets the neighbours of worker `me` go on.
    pub(super) fn give_up(&self, engine: &Engine, me: usize) {
        let mut state = self.state.lock();
        if state.places[me].cores == 0 {
            return;
        }
        state.places[me].cores = 0;
        for worker in 0..state.places.len() {
            if state.places[worker].kept_for == Some(me) {
                state.places[worker].kept_for = None;
                engine.workers[worker].slot.0.dismiss(STILL_WANTED);
                self.changed[worker].notify_one();
            }
        }
        self.serve(engine, &mut state);
        drop(state);
        engine.machine.bind(me);
    }

    /// Stands still as long as worker `me` is kept for another's task. Between tasks.
    pub(super) fn stand_still(&self, engine: &Engine, me: usize) {
        let mut state = self.state.lock();
        state.places[me].still = true;
        self.serve(engine, &mut state);
        while state.places[me].kept_for.is_some() {
            self.changed[me].wait(&mut state);
        }
        state.places[me].still = false;
    }

    /// Serves requests from the first on, as far as possible.
    fn serve(&self, engine: &Engine, state: &mut State) {
        while let Some(request) = state.requests.front() {
            let (me, cores) = (request.worker, request.cores);
            if !request.marked && !mark(engine, &mut state.places, me, cores) {
                return;
            }
            if let Some(request) = state.requests.front_mut() {
                request.marked = true;
            }
            if state.places.iter().any(|place| place.kept_for == Some(me) && !place.still) {
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
fn mark(engine: &Engine, places: &mut [Place], me: usize, cores: u32) -> bool {
    if places[me].kept_for.is_some() {
        return false;
    }
    let free = |&&other: &&u32| places[other as usize].kept_for.is_none() && places[other as usize].cores == 0;
    let neighbours = engine.machine.neighbours(me);
    let chosen: Vec<usize> =
        neighbours.iter().filter(free).take(cores as usize - 1).map(|&other| other as usize).collect();
    if chosen.len() + 1 < cores as usize {
        return false;
    }
    for other in chosen {
        places[other].kept_for = Some(me);
        engine.workers[other].slot.0.signal(STILL_WANTED);
        engine.workers[other].parker.0.wake();
    }
    true
}
