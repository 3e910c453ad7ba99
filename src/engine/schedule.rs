//! From a call to a ready task.

use std::sync::atomic::Ordering;

use super::Call;
use super::lane::{Own, count, uncount};
use crate::data::{DataId, Outcome, Readiness, STORE};
use crate::error::Error;
use crate::processing::{Found, Mode, Plan, ProcId, REGISTRY};
use crate::sched;
use crate::sync::fence;
use crate::sync::inbox::Chain;
use crate::task::{POOL, Task, UNPLACED};

impl Call {
    /// Schedules a task on a worker.
    #[inline]
    pub(crate) fn onto(&self, worker: usize, function: ProcId, found: Found, ids: &[DataId]) -> Result<(), Error> {
        self.schedule(worker as u16, function, found, ids)
    }

    /// Schedules a task near its data.
    #[inline]
    pub(crate) fn near(&self, function: ProcId, found: Found, ids: &[DataId]) -> Result<(), Error> {
        self.schedule(UNPLACED, function, found, ids)
    }

    /// Tasks of a worker that were scheduled and have not ended.
    pub(crate) fn load(&self, worker: usize) -> u64 {
        let worker = &self.engine().workers[worker];
        let ended = worker.counts.0.ended.load(Ordering::Acquire);
        let own = worker.counts.0.own.load(Ordering::Acquire);
        let given = worker.assigned.0.load(Ordering::Acquire).wrapping_add(own);
        // What others take away is counted at two places, one after the other.
        u64::try_from(given.wrapping_sub(ended).cast_signed()).unwrap_or(0)
    }

    fn schedule(&self, worker: u16, function: ProcId, found: Found, ids: &[DataId]) -> Result<(), Error> {
        self.open()?;
        let plan = found.plan;
        if ids.len() != plan.count {
            return Err(wrong_count(plan, ids.len()));
        }
        self.hold_back();
        // Before the task can end: whoever waits must never see more ends than tasks.
        count(&self.lane.counters.scheduled);
        let taken = self.lane.with(|own| {
            let task = POOL.take(&mut own.tasks);
            // SAFETY: just taken from the pool, so it belongs to this thread.
            let task_ref = unsafe { &mut *task };
            task_ref.fill(plan, ids, worker);
            match take_all(own, task_ref, plan, ids) {
                Ok(missing) => Ok((task, missing)),
                Err(error) => {
                    // SAFETY: it still belongs to this thread: it is in no list.
                    unsafe { POOL.give(&mut own.tasks, task) };
                    Err(error)
                }
            }
        });
        let (task, missing) = taken.inspect_err(|_| uncount(&self.lane.counters.scheduled))?;
        if found.fresh {
            REGISTRY.settle(function);
        }
        if worker != UNPLACED {
            self.assign(worker as usize);
        }
        match missing {
            None => self.ready(task, true),
            Some(place) => self.advance(task, place),
        }
        Ok(())
    }

    /// Counts a task for a worker.
    #[inline]
    fn assign(&self, worker: usize) {
        let of = &self.engine().workers[worker];
        if self.lane.worker() == Some(worker) {
            count(&of.counts.0.own);
        } else {
            of.assigned.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Looks at a task's inputs from `place` on: lets it wait for the first one that is missing, or makes it ready.
    fn advance(&self, task: *mut Task, place: usize) {
        // SAFETY: the task belongs to this thread until it is on a list.
        let task_ref = unsafe { &mut *task };
        let plan = task_ref.plan();
        for place in place..plan.count {
            if plan.mode(place) == Mode::Out {
                continue;
            }
            let id = task_ref.id(place);
            task_ref.waits_for = place as u32;
            // SAFETY: the task has taken a reference of the input, and is in no list; it stays until it has ended.
            match unsafe { STORE.enlist(id, Task::link(task)) } {
                None => return,
                Some(Outcome::Published) => {}
                Some(Outcome::Poisoned) => task_ref.poisoned = true,
            }
        }
        task_ref.expect_data();
        self.ready(task, false);
    }

    /// Tells the tasks that waited for a datum that it is there, or never will be.
    #[inline]
    pub(super) fn activate(&self, waiters: Chain, outcome: Outcome) {
        for link in waiters {
            let task = Task::of(link);
            // SAFETY: whoever ends a promise owns the tasks that waited for it.
            let place = unsafe {
                (*task).poisoned |= outcome == Outcome::Poisoned;
                (*task).waits_for as usize
            };
            self.advance(task, place + 1);
        }
    }

    /// Hands a task that misses nothing to a worker. `weighed`: the lane has just weighed its inputs.
    #[inline]
    fn ready(&self, task: *mut Task, weighed: bool) {
        count(&self.lane.counters.activated);
        // SAFETY: a task that misses nothing belongs to whoever found that out, which is this thread.
        let task_ref = unsafe { &mut *task };
        if task_ref.near {
            let place = self.place(task_ref, weighed);
            task_ref.worker = place as u16;
            self.assign(place);
            self.ready_near(task, place);
        } else {
            self.ready_placed(task, task_ref.worker as usize);
        }
    }

    #[inline]
    fn ready_near(&self, task: *mut Task, worker: usize) {
        let engine = self.engine();
        let queue = &engine.workers[worker].queue;
        if self.lane.worker() == Some(worker) {
            if self.lane.with(|own| own.take_on(task)) {
                return;
            }
            queue.keep(task);
        } else {
            // SAFETY: the task belongs to this thread, and goes to the queue.
            unsafe { queue.mail(task) };
        }
        if engine.dormitory.announce() {
            engine.wake_near(worker);
        }
    }

    #[inline]
    fn ready_placed(&self, task: *mut Task, worker: usize) {
        let of = &self.engine().workers[worker];
        // SAFETY: the task belongs to this thread, and goes to the list or the queue.
        unsafe {
            if self.lane.worker() == Some(worker) {
                self.lane.with(|own| own.placed.push(&of.queue, task));
            } else if of.queue.hand_over(task) {
                fence::light();
                of.bed.wake();
            }
        }
    }

    /// The worker near the inputs of a task.
    #[inline]
    fn place(&self, task: &Task, weighed: bool) -> usize {
        let engine = self.engine();
        let place = self.lane.with(|own| {
            if !weighed {
                weigh(own, task);
            }
            sched::near(&engine.machine, &own.weights)
        });
        place.unwrap_or_else(|| self.lane.home(engine.workers()) as usize)
    }
}

/// Weighs the inputs of a task that misses nothing.
fn weigh(own: &mut Own, task: &Task) {
    own.weights.clear();
    for (place, id) in task.ids().enumerate() {
        if task.plan().mode(place) == Mode::In
            && let Readiness::Published { size, home } = STORE.readiness(id)
        {
            own.weights.add(home, size);
        }
    }
}

#[cold]
fn wrong_count(plan: &Plan, count: usize) -> Error {
    Error::argument(format!("processing '{}' has {} arguments, not {count}", plan.description, plan.count))
}

/// Claims a task's outputs and takes its references; gives the place of the first input that is missing. On an error
/// everything is as before.
#[inline]
fn take_all(own: &mut Own, task: &mut Task, plan: &Plan, ids: &[DataId]) -> Result<Option<usize>, Error> {
    if plan.modes.is_some() {
        for place in 0..ids.len() {
            if let Err(error) = claim(plan, ids, place) {
                roll_back(own, plan, ids, place, 0);
                return Err(error);
            }
        }
    }
    own.weights.clear();
    let mut missing = None;
    for (place, &id) in ids.iter().enumerate() {
        if plan.mode(place) == Mode::Out {
            continue;
        }
        match STORE.take(id) {
            Ok(Readiness::Published { size, home }) if task.near => own.weights.add(home, size),
            Ok(Readiness::Published { .. }) => {}
            Ok(Readiness::Promised) => missing = missing.or(Some(place)),
            Ok(Readiness::Poisoned) => task.poisoned = true,
            Err(error) => {
                roll_back(own, plan, ids, ids.len(), place);
                return Err(error);
            }
        }
    }
    Ok(missing)
}

/// Claims one output; inputs are let pass.
#[inline]
fn claim(plan: &Plan, ids: &[DataId], place: usize) -> Result<(), Error> {
    if plan.mode(place) == Mode::In {
        return Ok(());
    }
    let reads = |id: DataId| (0..ids.len()).any(|other| ids[other] == id && plan.mode(other) == Mode::In);
    let predecessor = STORE.claim(ids[place])?;
    if reads(ids[place]) {
        STORE.abandon(ids[place]);
        return Err(Error::state(format!(
            "datum {{{}, {}}} is input and output of one task, which would wait for itself",
            ids[place][0], ids[place][1]
        )));
    }
    let Some(predecessor) = predecessor else { return Ok(()) };
    if reads(predecessor) {
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
