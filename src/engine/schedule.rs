//! From a call to a ready task.

use std::sync::atomic::{Ordering, fence};

use super::lane::{Own, count};
use super::values::task_of;
use super::{Call, Engine};
use crate::data::{DataId, Outcome, Readiness, STORE, Waiters};
use crate::error::Error;
use crate::processing::{Mode, Plan, ProcId, REGISTRY};
use crate::sched;
use crate::task::{POOL, Task, UNPLACED};

/// What a task finds when it takes its arguments.
#[derive(Default)]
struct Found {
    missing: u32,
    poisoned: bool,
    carries: bool,
}

impl Call {
    /// Schedules a task on a worker.
    #[inline]
    pub(crate) fn onto(&self, worker: usize, function: ProcId, ids: &[DataId]) -> Result<(), Error> {
        self.schedule(worker as u32, function, ids)
    }

    /// Schedules a task near its data.
    #[inline]
    pub(crate) fn near(&self, function: ProcId, ids: &[DataId]) -> Result<(), Error> {
        self.schedule(UNPLACED, function, ids)
    }

    /// Tasks of a worker that were scheduled and have not ended.
    pub(crate) fn load(&self, worker: usize) -> u64 {
        let worker = &self.engine().workers[worker];
        let ended = worker.ended.load(Ordering::Acquire);
        worker.assigned.load(Ordering::Acquire).saturating_sub(ended)
    }

    fn schedule(&self, worker: u32, function: ProcId, ids: &[DataId]) -> Result<(), Error> {
        self.open()?;
        let plan = REGISTRY.plan(function)?;
        if ids.len() != plan.count {
            return Err(Error::argument(format!(
                "processing '{}' has {} arguments, not {}",
                plan.description,
                plan.count,
                ids.len()
            )));
        }
        let (task, found) = self.lane.with(|own| {
            let task = POOL.take(&mut own.tasks);
            // SAFETY: just taken from the pool, so it belongs to this thread.
            unsafe { (*task).fill(plan, ids, worker == UNPLACED, worker) };
            match take_all(own, task, &plan, ids) {
                Ok(found) => Ok((task, found)),
                Err(error) => {
                    // SAFETY: it still belongs to this thread: no datum has it on its list.
                    unsafe { POOL.give(&mut own.tasks, task) };
                    Err(error)
                }
            }
        })?;
        REGISTRY.settle(function);
        let produced = |(place, id): (usize, &DataId)| (id[1], plan.mode(place) == Mode::Out);
        self.engine().trace().scheduled(plan.description, ids.iter().enumerate().map(produced));
        count(&self.lane.counters.scheduled);
        if worker != UNPLACED {
            self.engine().workers[worker as usize].assigned.fetch_add(1, Ordering::Relaxed);
        }
        // SAFETY: it belongs to this thread until it is on a list.
        unsafe {
            (*task).carries = found.carries;
            *(*task).poisoned.get_mut() = found.poisoned;
        }
        if found.missing == 0 {
            self.ready(task, true);
        } else {
            self.enlist(task, plan.count, found.missing);
        }
        Ok(())
    }

    /// Puts a task on the lists of the inputs that it misses.
    fn enlist(&self, task: *mut Task, arguments: usize, missing: u32) {
        // SAFETY: the task has a guard count until the end of this function, so it stays; others touch only its two
        // atomics meanwhile, and this function reads only what nobody writes.
        unsafe {
            (*task).missing.store(missing + 1, Ordering::Relaxed);
            let mut done = 1;
            for place in 0..arguments {
                let node = Task::wait_at(task, place);
                if !(*node).prepared() {
                    continue;
                }
                if let Some(outcome) = STORE.enlist(Task::id_at(task, place), node) {
                    done += 1;
                    if outcome == Outcome::Poisoned {
                        (*task).poisoned.store(true, Ordering::Relaxed);
                    }
                }
            }
            if (*task).missing.fetch_sub(done, Ordering::AcqRel) == done {
                self.ready(task, false);
            }
        }
    }

    /// Tells the tasks that waited for a datum that it is there, or never will be.
    #[inline]
    pub(super) fn activate(&self, waiters: Waiters, outcome: Outcome) {
        for owner in waiters {
            let task = task_of(owner);
            // SAFETY: a task stays while it misses an input, and the one just handed out is counted below.
            unsafe {
                if outcome == Outcome::Poisoned {
                    (*task).poisoned.store(true, Ordering::Relaxed);
                }
                if (*task).missing.fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.ready(task, false);
                }
            }
        }
    }

    /// Hands a task that misses nothing to a worker. `weighed`: the lane has just weighed its inputs.
    fn ready(&self, task: *mut Task, weighed: bool) {
        count(&self.lane.counters.activated);
        let engine = self.engine();
        // SAFETY: a task that misses nothing belongs to whoever found that out, which is this thread.
        let task_ref = unsafe { &mut *task };
        let near = task_ref.near;
        if near {
            let place = self.place(task_ref, weighed);
            task_ref.worker = place as u32;
            engine.workers[place].assigned.fetch_add(1, Ordering::Relaxed);
        }
        let worker = task_ref.worker as usize;
        // SAFETY: it belongs to this thread, and goes to the queue.
        unsafe { engine.workers[worker].queue.push(task) };
        engine.wake_for(worker, near, self.lane.worker());
    }

    /// The worker near the inputs of a task.
    #[cold]
    fn place(&self, task: &Task, weighed: bool) -> usize {
        let engine = self.engine();
        let place = self.lane.with(|own| {
            if !weighed {
                own.weights.clear();
                for (place, &id) in task.ids().iter().enumerate() {
                    if task.plan().mode(place) == Mode::In
                        && let Readiness::Published { size, home } = STORE.readiness(id)
                    {
                        own.weights.add(home, size);
                    }
                }
            }
            sched::near(&engine.machine, &own.weights)
        });
        place.unwrap_or_else(|| self.lane.home(engine.workers()) as usize)
    }
}

impl Engine {
    /// Wakes whoever can run a task that was just pushed to a worker's queue by `pusher`.
    #[inline]
    fn wake_for(&self, worker: usize, near: bool, pusher: Option<usize>) {
        if near {
            if self.dormitory.announce() {
                self.wake_near(worker);
            }
        } else if pusher != Some(worker) {
            fence(Ordering::SeqCst);
            self.workers[worker].bed.wake();
        }
    }
}

/// Claims a task's outputs and takes its references; on an error everything is as before.
fn take_all(own: &mut Own, task: *mut Task, plan: &Plan, ids: &[DataId]) -> Result<Found, Error> {
    let mut found = Found::default();
    if plan.modes.is_some() {
        for place in 0..ids.len() {
            if let Err(error) = claim(task, plan, ids, place, &mut found) {
                roll_back(own, plan, ids, place, 0);
                return Err(error);
            }
        }
    }
    // SAFETY: the task belongs to this thread.
    let near = unsafe { (*task).near };
    own.weights.clear();
    for (place, &id) in ids.iter().enumerate() {
        // SAFETY: the task belongs to this thread.
        let node = unsafe { &mut *Task::wait_at(task, place) };
        node.clear();
        if plan.mode(place) == Mode::Out {
            continue;
        }
        match STORE.take(id, Task::owner(task)) {
            Ok(Readiness::Published { size, home }) if near => own.weights.add(home, size),
            Ok(Readiness::Published { .. }) => {}
            Ok(Readiness::Promised) => {
                node.prepare(Task::owner(task));
                found.missing += 1;
            }
            Ok(Readiness::Poisoned) => found.poisoned = true,
            Err(error) => {
                roll_back(own, plan, ids, ids.len(), place);
                return Err(error);
            }
        }
    }
    Ok(found)
}

/// Claims one output; inputs are let pass.
fn claim(task: *mut Task, plan: &Plan, ids: &[DataId], place: usize, found: &mut Found) -> Result<(), Error> {
    if plan.mode(place) == Mode::In {
        return Ok(());
    }
    let Some(predecessor) = STORE.claim(ids[place], Task::owner(task))? else { return Ok(()) };
    found.carries = true;
    if (0..ids.len()).any(|other| ids[other] == predecessor && plan.mode(other) == Mode::In) {
        return Ok(());
    }
    STORE.abandon(ids[place]);
    Err(Error::state(format!(
        "datum {{{}, {}}} carries on datum {{{}, {}}}, which the task must read to have it as an output",
        ids[place][0], ids[place][1], predecessor[0], predecessor[1]
    )))
}

/// Takes back what the first `claimed` arguments claimed and the first `taken` took.
#[cold]
fn roll_back(own: &mut Own, plan: &Plan, ids: &[DataId], claimed: usize, taken: usize) {
    for (place, &id) in ids.iter().enumerate() {
        match plan.mode(place) {
            Mode::Out if place < claimed => STORE.unclaim(&mut own.data, id),
            Mode::In if place < taken => STORE.untake(id),
            _ => {}
        }
    }
}
