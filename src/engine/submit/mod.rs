//! From a call to a ready task. The call fills the task's descriptor, claims its outputs, and waits for its inputs one
//! after the other; then a worker gets the task. `given` makes a task's arguments of those that the program keeps or updates,
//! `window` throttles a submitter.

pub(crate) mod given;
mod window;

use std::sync::atomic::Ordering;

use crate::data::names::in_words;
use crate::data::{DatumId, Outcome, Readiness, STORE};
use crate::engine::context::call::Call;
use crate::engine::context::call::no_such_rank;
use crate::engine::context::job::{Job, Target};
use crate::engine::context::task_gets::{FEW_ARGUMENTS, Index};
use crate::engine::context::{self, Own, Post};
use crate::error::Error;
use crate::id::Rank;
use crate::idle::completion::{count, uncount};
use crate::processing::{Found, Mode, ProcessingId, REGISTRY, Signature};
use crate::sched;
use crate::sync::inbox::Chain;
use crate::task::{OwnedTask, POOL, UNPLACED};
use crate::world::rank_table::WorkerHome;

/// The worker that a rank names.
#[derive(Clone, Copy)]
pub(crate) enum Home<'a> {
    /// One of this process, which has no job.
    Alone(usize),
    /// One of a job.
    InJob(&'a Job, WorkerHome),
}

#[cold]
#[inline(never)]
fn home_in_job<'a>(job: &'a Job, rank: &Rank) -> Result<Home<'a>, Error> {
    job.find(rank).map(|home| Home::InJob(job, home)).ok_or_else(|| no_such_rank(rank))
}

impl Call {
    /// Schedules a task on a worker.
    #[inline]
    pub(crate) fn onto(
        &self,
        worker: usize,
        function: ProcessingId,
        found: Found,
        ids: &[DatumId],
    ) -> Result<(), Error> {
        if found.fresh {
            return REGISTRY.first(function, found.signature, |signature| self.schedule(worker as u16, signature, ids));
        }
        self.schedule(worker as u16, found.signature, ids)
    }

    /// The worker with this rank, in whatever process.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    pub(crate) fn home_of(&self, rank: &Rank) -> Result<Home<'_>, Error> {
        match self.job() {
            None => Ok(Home::Alone(self.worker_at(rank)?)),
            Some(job) => home_in_job(job, rank),
        }
    }

    /// Schedules a task on a worker of any process.
    #[inline]
    pub(crate) fn onto_home(
        &self,
        home: Home<'_>,
        function: ProcessingId,
        found: Found,
        ids: &[DatumId],
    ) -> Result<(), Error> {
        match home {
            Home::Alone(worker) => self.onto(worker, function, found, ids),
            Home::InJob(job, home) => self.schedule_in_job(job, Target::Worker(home), function, found, ids),
        }
    }

    /// Schedules a task near its data, in whatever process.
    #[inline]
    pub(crate) fn near_data(&self, function: ProcessingId, found: Found, ids: &[DatumId]) -> Result<(), Error> {
        match self.job().filter(|_| !ids.is_empty() || !function.is_here()) {
            None => self.near(function, found, ids),
            Some(job) => self.schedule_in_job(job, Target::Near, function, found, ids),
        }
    }

    /// Schedules a task near its data.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "with this the smallest task takes 280 instructions, without it 325")]
    pub(crate) fn near(&self, function: ProcessingId, found: Found, ids: &[DatumId]) -> Result<(), Error> {
        if found.fresh {
            return REGISTRY.first(function, found.signature, |signature| self.schedule(UNPLACED, signature, ids));
        }
        match self.context.post() {
            Some(post) if found.signature.count == 0 && ids.is_empty() => self.argumentless(post, found.signature),
            _ => self.schedule(UNPLACED, found.signature, ids),
        }
    }

    /// Schedules a task without arguments on the worker that this thread is. Other workers may steal the task.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as above")]
    fn argumentless(&self, post: Post<'_>, signature: &'static Signature) -> Result<(), Error> {
        self.open()?;
        let engine = self.engine();
        count(&self.context.counters.scheduled);
        count(&self.context.counters.activated);
        self.context.give(post.me, 1);
        if engine.trace().is_on() {
            self.trace_schedule(signature, &[]);
        }
        if !post.queue().keep_argumentless(signature) {
            return self.argumentless_with_descriptor(post, signature);
        }
        engine.show_tasks(post.me);
        Ok(())
    }

    /// The same if the worker's queue is full and cannot grow. The task is already counted.
    #[cold]
    #[inline(never)]
    fn argumentless_with_descriptor(&self, post: Post<'_>, signature: &'static Signature) -> Result<(), Error> {
        match self.context.with(|own| POOL.take(&mut own.tasks, signature, &[], UNPLACED)) {
            Ok(task) => {
                task.set_worker(post.me as u16);
                post.queue().send(task);
                self.engine().show_tasks(post.me);
                Ok(())
            }
            Err(error) => {
                self.context.give(post.me, -1);
                uncount(&self.context.counters.activated);
                uncount(&self.context.counters.scheduled);
                self.engine().completion.notify();
                Err(error)
            }
        }
    }

    /// Tasks of a worker that were scheduled and have not ended.
    pub(crate) fn load(&self, worker: usize) -> u64 {
        let ended = self.engine().workers[worker].counts.0.ended.load(Ordering::Acquire);
        let given = context::given(worker);
        // A stolen task is counted at two places, one after the other.
        u64::try_from(given.wrapping_sub(ended).cast_signed()).unwrap_or(0)
    }

    #[inline(never)]
    pub(crate) fn schedule(&self, worker: u16, signature: &'static Signature, ids: &[DatumId]) -> Result<(), Error> {
        self.open()?;
        if ids.len() != signature.count {
            return Err(wrong_count(signature, ids.len()));
        }
        self.hold_back();
        // Counted before the task can end: a thread that waits must never see more ends than tasks.
        count(&self.context.counters.scheduled);
        self.assign(worker, 1);
        let taken = self.context.with(|own| {
            let task = POOL.take(&mut own.tasks, signature, ids, worker)?;
            take_all(own, task, signature, ids)
        });
        let taken = match taken {
            Ok(taken) => taken,
            Err(error) => {
                self.take_back(worker);
                return Err(error);
            }
        };
        if self.engine().trace().is_on() {
            self.trace_schedule(signature, ids);
        }
        match taken {
            Taken::Ready(task) => {
                self.ready(task, true);
                return Ok(());
            }
            Taken::Missing(task, place) => self.advance(task, place),
            Taken::Waits => {}
        }
        if let Some(job) = self.job() {
            job.awaited(ids);
        }
        Ok(())
    }

    /// Uncounts a task that was not scheduled after all.
    #[cold]
    #[inline(never)]
    fn take_back(&self, worker: u16) {
        self.assign(worker, -1);
        uncount(&self.context.counters.scheduled);
        // A waiting thread may have seen the count of this task.
        self.engine().completion.notify();
    }

    #[cold]
    fn trace_schedule(&self, signature: &'static Signature, ids: &[DatumId]) {
        let produced = |(place, id): (usize, &DatumId)| (id.number(), signature.mode(place) == Mode::Out);
        self.engine().trace().scheduled(signature.description, ids.iter().enumerate().map(produced));
    }

    /// Counts tasks for a worker, if there is one.
    #[inline]
    fn assign(&self, worker: u16, tasks: i64) {
        if worker != UNPLACED {
            self.context.give(worker as usize, tasks);
        }
    }

    /// Checks a task's inputs from `place` down: the task waits for the first one that is missing, or becomes ready.
    fn advance(&self, mut task: OwnedTask, place: usize) {
        let signature = task.signature();
        for place in (0..=place).rev() {
            if signature.mode(place) == Mode::Out {
                continue;
            }
            let id = task.id(place);
            task.wait_for(place);
            let Some((node, outcome)) = STORE.enlist(id, task.into()) else {
                if self.job().is_some() {
                    self.context.with(|own| STORE.tell_awaited(&mut own.data, id));
                }
                return;
            };
            task = node.into();
            if outcome == Outcome::Poisoned {
                task.poison();
            }
        }
        self.present(task);
    }

    /// Makes a task ready whose inputs other threads may have published.
    #[inline]
    fn present(&self, task: OwnedTask) {
        task.expect_data();
        self.ready(task, false);
    }

    /// Continues the tasks that waited for a datum, which is published or poisoned now.
    #[inline(never)]
    pub(crate) fn activate(&self, waiters: Chain, outcome: Outcome) {
        self.activate_last(waiters, outcome);
    }

    /// The same for the last output of a task, and most tasks have one output.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a link of a chain takes 30 instructions less")]
    pub(crate) fn activate_last(&self, waiters: Chain, outcome: Outcome) {
        for node in waiters {
            let task = OwnedTask::from(node);
            if outcome == Outcome::Poisoned {
                task.poison();
            }
            let place = task.waits_for();
            if place == 0 {
                self.present(task);
            } else {
                self.advance(task, place - 1);
            }
        }
    }

    /// Hands a task that misses no input to a worker. `weighed`: the context has just weighed the inputs.
    #[inline]
    pub(crate) fn ready(&self, task: OwnedTask, weighed: bool) {
        count(&self.context.counters.activated);
        if task.is_near() {
            let place = self.place(&task, weighed);
            task.set_worker(place as u16);
            self.assign(place as u16, 1);
            self.ready_near(task, place);
        } else {
            let worker = task.worker() as usize;
            self.ready_placed(task, worker);
        }
    }

    #[inline]
    fn ready_near(&self, task: OwnedTask, worker: usize) {
        let engine = self.engine();
        match self.context.post() {
            Some(post) if post.me == worker => {
                let Some(task) = self.context.with(|own| own.take_on(task)) else { return };
                post.queue().keep(task);
            }
            _ => engine.workers[worker].queue.send(task),
        }
        engine.show_tasks(worker);
    }

    #[inline]
    fn ready_placed(&self, task: OwnedTask, worker: usize) {
        let of = &self.engine().workers[worker];
        if self.context.worker() == Some(worker) {
            self.context.with(|own| own.placed.push(&of.queue, task));
        } else {
            of.queue.hand_over(task);
            // Each pusher checks the parker, not only the one that found the inbox empty: that one may be without a CPU
            // now.
            of.parker.0.wake_for_own();
        }
    }

    /// The worker near the inputs of a task.
    #[inline]
    fn place(&self, task: &OwnedTask, weighed: bool) -> usize {
        let (engine, signature) = (self.engine(), task.signature());
        if engine.workers() == 1 {
            return 0;
        }
        // A single input needs no weighing.
        if let Some(only) = signature.only_input()
            && let Readiness::Published { home, .. } = STORE.readiness(task.id(only))
        {
            return home as usize;
        }
        let place = self.context.with(|own| {
            if !weighed {
                weigh(own, task.numbers(), signature);
            }
            sched::near(&engine.machine, &mut own.weights)
        });
        place.unwrap_or_else(|| self.context.home(engine.workers()) as usize)
    }
}

/// Weighs the inputs of a task that misses none.
fn weigh(own: &mut Own, numbers: &[u64], signature: &Signature) {
    own.weights.clear();
    for place in signature.inputs() {
        if let Readiness::Published { size, home } = STORE.readiness(DatumId::here(numbers[place])) {
            own.weights.add(home, size);
        }
    }
}

#[cold]
#[inline(never)]
pub(crate) fn wrong_count(signature: &Signature, count: usize) -> Error {
    let (name, arguments) = (signature.description, signature.arguments());
    Error::argument(format!("processing '{name}' has {arguments} arguments, not {count}"))
}

/// The state of a task whose references were taken.
enum Taken {
    /// The task misses no input.
    Ready(OwnedTask),
    /// The task misses the input at this place, and maybe earlier ones.
    Missing(OwnedTask, usize),
    /// The task waits for its last input.
    Waits,
}

/// Claims a task's outputs and takes its references. An error undoes everything and frees the task.
#[inline]
fn take_all(own: &mut Own, task: OwnedTask, signature: &Signature, ids: &[DatumId]) -> Result<Taken, Error> {
    if signature.produces()
        && let Err(error) = claim_all(own, &task, signature, ids)
    {
        POOL.give(&mut own.tasks, task);
        return Err(error);
    }
    let weigh = task.is_near() && signature.only_input().is_none();
    if weigh {
        own.weights.clear();
    }
    if signature.count <= FEW_ARGUMENTS {
        take_inputs::<false>(own, task, signature, ids, weigh)
    } else {
        take_many(own, task, signature, ids, weigh)
    }
}

#[inline(never)]
fn take_many(
    own: &mut Own,
    task: OwnedTask,
    signature: &Signature,
    ids: &[DatumId],
    weigh: bool,
) -> Result<Taken, Error> {
    take_inputs::<true>(own, task, signature, ids, weigh)
}

/// Takes the references. With `MANY`, the cache lines of the data are prefetched a little ahead.
#[inline]
fn take_inputs<const MANY: bool>(
    own: &mut Own,
    task: OwnedTask,
    signature: &Signature,
    ids: &[DatumId],
    weigh: bool,
) -> Result<Taken, Error> {
    let last = signature.last_input().unwrap_or(usize::MAX);
    let mut missing = None;
    let mut task = Some(task);
    for place in signature.inputs() {
        if MANY {
            STORE.expect_next(ids, place, |id| id.number());
        }
        let waiter = || {
            let waits = task.take_if(|_| place == last)?;
            waits.wait_for(place);
            Some(waits.into())
        };
        match STORE.take(ids[place], waiter) {
            Ok(Readiness::Published { size, home }) => {
                if weigh {
                    own.weights.add(home, size);
                }
            }
            Ok(Readiness::Promised) if place == last => return Ok(Taken::Waits),
            Ok(Readiness::Promised) => missing = Some(place),
            Ok(Readiness::Poisoned) => {
                if let Some(task) = &task {
                    task.poison();
                }
            }
            Err(error) => {
                roll_back(own, signature, ids, ids.len(), place);
                if let Some(task) = task {
                    POOL.give(&mut own.tasks, task);
                }
                return Err(error);
            }
        }
    }
    Ok(match (task, missing) {
        (None, _) => Taken::Waits,
        (Some(task), None) => Taken::Ready(task),
        (Some(task), Some(place)) => Taken::Missing(task, place),
    })
}

/// Above this number of arguments, comparing each output with all inputs takes too long.
const MAX_COMPARED_ARGUMENTS: usize = 64;

/// Whether two ids are equal. The numbers differ most often, so they are compared first.
#[inline]
fn same(one: DatumId, other: DatumId) -> bool {
    one.number() == other.number() && one.home() == other.home()
}

/// Claims a task's outputs, or none.
#[inline]
fn claim_all(own: &mut Own, task: &OwnedTask, signature: &Signature, ids: &[DatumId]) -> Result<(), Error> {
    if signature.count > MAX_COMPARED_ARGUMENTS {
        return claim_many(own, task, signature, ids);
    }
    signature.outputs().try_for_each(|place| {
        claim(own, task, signature, ids, place, |id| signature.inputs().any(|other| same(ids[other], id)))
    })
}

/// Claims the outputs of a task with many arguments; builds an index of the inputs if there are several outputs.
#[cold]
#[inline(never)]
fn claim_many(own: &mut Own, task: &OwnedTask, signature: &Signature, ids: &[DatumId]) -> Result<(), Error> {
    let numbers = task.numbers();
    let mut reads = std::mem::replace(&mut own.reads, Index::new());
    let indexed = signature.outputs().nth(1).is_some() && reads.make(numbers, signature.inputs());
    let claimed = signature.outputs().try_for_each(|place| {
        claim(own, task, signature, ids, place, |id| {
            if indexed {
                reads.find(numbers, id.number()).is_some()
            } else {
                signature.inputs().any(|other| same(ids[other], id))
            }
        })
    });
    reads.clear();
    own.reads = reads;
    claimed
}

/// Claims one output, or takes all claims back. `reads` says whether an existing datum is an input.
#[inline]
fn claim(
    own: &mut Own,
    task: &OwnedTask,
    signature: &Signature,
    ids: &[DatumId],
    place: usize,
    reads: impl Fn(DatumId) -> bool,
) -> Result<(), Error> {
    // SAFETY: the task is in use until it has ended its promises (`Call::finish`), or this call has taken its claims
    // back.
    let refused = match unsafe { STORE.claim(ids[place], task.link()) } {
        Ok(_) if reads(ids[place]) => own_input(own, ids[place]),
        Ok(Some(predecessor)) if !reads(predecessor) => not_read(own, ids[place], predecessor),
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    roll_back(own, signature, ids, place, 0);
    Err(refused)
}

#[cold]
#[inline(never)]
fn own_input(own: &mut Own, id: DatumId) -> Error {
    STORE.unclaim(&mut own.data, id);
    Error::state(format!("{} is input and output of one task, which would wait for itself", in_words(id)))
}

#[cold]
#[inline(never)]
fn not_read(own: &mut Own, id: DatumId, predecessor: DatumId) -> Error {
    STORE.unclaim(&mut own.data, id);
    Error::state(format!(
        "{} carries on {}, which the task must read to have it as an output",
        in_words(id),
        in_words(predecessor)
    ))
}

/// Undoes the claims of the first `claimed` arguments, and the references of the first `taken`.
#[cold]
fn roll_back(own: &mut Own, signature: &Signature, ids: &[DatumId], claimed: usize, taken: usize) {
    for (place, &id) in ids.iter().enumerate() {
        match signature.mode(place) {
            Mode::Out if place < claimed => STORE.unclaim(&mut own.data, id),
            Mode::In if place < taken => STORE.untake(id),
            _ => {}
        }
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;
    use crate::engine::{enter, finalize, init_alone};
    use std::time::{Duration, Instant};

    /// The first thread that hands a task to a worker may lose its CPU before it wakes the worker. Runs in a process of
    /// its own, whose environment and engine no other test uses.
    #[test]
    fn a_worker_is_woken_although_the_task_before_was_handed_over_without() {
        if testkit::playing() {
            init_alone().unwrap();
            let call = enter().unwrap();
            std::thread::sleep(Duration::from_millis(300)); // the worker sleeps
            let silent = call.context.with(|own| POOL.take(&mut own.tasks, Signature::none(), &[], 0)).unwrap();
            count(&call.context.counters.scheduled);
            call.assign(0, 1);
            count(&call.context.counters.activated);
            call.engine().workers[0].queue.hand_over(silent);
            call.schedule(0, Signature::none(), &[]).unwrap();
            let end = Instant::now() + Duration::from_mins(1);
            while context::outstanding() > 0 && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(context::outstanding(), 0, "nobody has woken the worker");
            drop(call);
            return finalize().unwrap();
        }
        let test = "engine::submit::tests::a_worker_is_woken_although_the_task_before_was_handed_over_without";
        testkit::passes(testkit::part(test).env("DVM_WORKERS", "1"));
    }
}
