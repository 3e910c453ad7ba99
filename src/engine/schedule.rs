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
        self.assign(worker, 1);
        let taken = self.lane.with(|own| {
            let task = POOL.take(&mut own.tasks);
            // SAFETY: just taken from the pool, so it belongs to this thread.
            unsafe { (*task).fill(plan, ids, worker) };
            match take_all(own, task, plan, ids) {
                Ok(taken) => Ok((task, taken)),
                Err(error) => {
                    // SAFETY: it still belongs to this thread: it is in no list.
                    unsafe { POOL.give(&mut own.tasks, task) };
                    Err(error)
                }
            }
        });
        let (task, taken) = taken.inspect_err(|_| {
            self.assign(worker, -1);
            uncount(&self.lane.counters.scheduled);
            // Who waits may have seen the task that is none.
            self.engine().completion.notify();
        })?;
        let produced = |(place, id): (usize, &DataId)| (id[1], plan.mode(place) == Mode::Out);
        self.engine().trace().scheduled(plan.description, ids.iter().enumerate().map(produced));
        if found.fresh {
            REGISTRY.settle(function);
        }
        match taken {
            Taken::Ready => self.ready(task, true),
            Taken::Missing(place) => self.advance(task, place),
            Taken::Waits => {}
        }
        Ok(())
    }

    /// Counts tasks for a worker, if there is one.
    #[inline]
    fn assign(&self, worker: u16, tasks: i64) {
        if worker == UNPLACED {
            return;
        }
        let of = &self.engine().workers[worker as usize];
        if self.lane.worker() == Some(worker as usize) {
            let own = &of.counts.0.own;
            own.store(own.load(Ordering::Relaxed).wrapping_add_signed(tasks), Ordering::Release);
        } else {
            of.assigned.0.fetch_add(tasks.cast_unsigned(), Ordering::Relaxed);
        }
    }

    /// Looks at a task's inputs from `place` down: lets it wait for the first one that is missing, or makes it ready.
    fn advance(&self, task: *mut Task, place: usize) {
        // SAFETY: the task belongs to this thread until it is on a list.
        let task_ref = unsafe { &mut *task };
        let plan = task_ref.plan();
        for place in (0..=place).rev() {
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
        self.present(task);
    }

    /// Makes a task ready whose inputs other threads may have published.
    #[inline]
    fn present(&self, task: *mut Task) {
        // SAFETY: a task that misses nothing belongs to whoever found that out, which is this thread.
        unsafe { (*task).expect_data() };
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
            if place == 0 {
                self.present(task);
            } else {
                self.advance(task, place - 1);
            }
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
            self.assign(place as u16, 1);
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
                of.bed.0.wake();
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

/// What has become of a task whose references were taken.
enum Taken {
    /// It misses nothing.
    Ready,
    /// It misses the input at this place, and maybe some before that.
    Missing(usize),
    /// It waits for its last input, and is the caller's no longer.
    Waits,
}

/// Claims a task's outputs and takes its references. On an error everything is as before.
#[inline]
fn take_all(own: &mut Own, task: *mut Task, plan: &Plan, ids: &[DataId]) -> Result<Taken, Error> {
    if plan.modes.is_some() {
        for place in 0..ids.len() {
            if let Err(error) = claim(own, task, plan, ids, place) {
                roll_back(own, plan, ids, place, 0);
                return Err(error);
            }
        }
    }
    own.weights.clear();
    // SAFETY: the task belongs to this thread.
    let near = unsafe { (*task).near };
    let last = (0..ids.len()).rev().find(|&place| plan.mode(place) == Mode::In);
    let mut taken = Taken::Ready;
    for (place, &id) in ids.iter().enumerate() {
        if plan.mode(place) == Mode::Out {
            continue;
        }
        // SAFETY: the task belongs to this thread until it waits for its last input, after which it is not touched; it
        // is in no list before.
        let found = unsafe {
            (*task).waits_for = place as u32;
            if Some(place) == last { STORE.take_or_wait(id, Task::link(task)) } else { STORE.take(id) }
        };
        match found {
            Ok(Readiness::Published { size, home }) if near => own.weights.add(home, size),
            Ok(Readiness::Published { .. }) => {}
            Ok(Readiness::Promised) if Some(place) == last => return Ok(Taken::Waits),
            Ok(Readiness::Promised) => taken = Taken::Missing(place),
            // SAFETY: as above.
            Ok(Readiness::Poisoned) => unsafe { (*task).poisoned = true },
            Err(error) => {
                roll_back(own, plan, ids, ids.len(), place);
                return Err(error);
            }
        }
    }
    Ok(taken)
}

/// Claims one output; inputs are let pass.
#[inline]
fn claim(own: &mut Own, task: *mut Task, plan: &Plan, ids: &[DataId], place: usize) -> Result<(), Error> {
    if plan.mode(place) == Mode::In {
        return Ok(());
    }
    let reads = |id: DataId| (0..ids.len()).any(|other| ids[other] == id && plan.mode(other) == Mode::In);
    // SAFETY: the task is filled, and in use until it has published its outputs or this call has taken its claims back.
    let predecessor = unsafe { STORE.claim(ids[place], Task::link(task)) }?;
    if reads(ids[place]) {
        STORE.unclaim(&mut own.data, ids[place]);
        return Err(Error::state(format!(
            "datum {{{}, {}}} is input and output of one task, which would wait for itself",
            ids[place][0], ids[place][1]
        )));
    }
    let Some(predecessor) = predecessor else { return Ok(()) };
    if reads(predecessor) {
        return Ok(());
    }
    STORE.unclaim(&mut own.data, ids[place]);
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
