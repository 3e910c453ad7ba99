//! One task, from start to end.

use std::mem::MaybeUninit;

use super::Call;
use super::context::{Own, count};
use super::frame::FEW;
use super::worker::Counts;
use crate::data::{Carry, DataId, Outcome, STORE, Storage};
use crate::error::Error;
use crate::memory;
use crate::processing::Plan;
use crate::sync::inbox::Chain;
use crate::task::{POOL, Task};

/// The ids of up to so many arguments lie on the stack.
const MANY: usize = 64;

impl Call {
    /// Runs a task, or cancels it, and lets everything go that it held. The caller is the worker `me`.
    #[inline(never)]
    pub(super) fn run(&self, task: *mut Task, me: usize, counts: &Counts) {
        // SAFETY: a task out of a queue belongs to the worker that took it out.
        unsafe {
            if (*task).near && (*task).worker != me as u16 {
                self.moved(&mut (*task).worker, me);
            }
        }
        // SAFETY: as above; nobody writes to a task that runs.
        let (plan, poisoned) = unsafe { ((*task).plan(), (*task).poisoned) };
        let outcome = if poisoned {
            self.engine().failures.cancelled();
            Outcome::Poisoned
        } else {
            match self.traced(task, plan, me, counts) {
                Ok(()) => Outcome::Published,
                Err(message) => {
                    self.failed(plan, &message, me);
                    Outcome::Poisoned
                }
            }
        };
        self.finish(task, plan, outcome, me);
        self.ended(counts);
    }

    /// Counts the end of a task, for its worker first: who has waited for all tasks finds no load.
    #[inline]
    fn ended(&self, counts: &Counts) {
        count(&counts.ended);
        count(&self.context.counters.ended);
    }

    /// A near task runs elsewhere than it was to: it is counted here.
    #[cold]
    fn moved(&self, worker: &mut u16, me: usize) {
        self.counted_for(*worker as usize, me);
        *worker = me as u16;
    }

    /// A task that was counted for another worker is this one's.
    pub(super) fn counted_for(&self, other: usize, me: usize) {
        self.context.give(me, 1);
        self.context.give(other, -1);
    }

    /// Notes that a task has failed.
    #[cold]
    fn failed(&self, plan: &Plan, message: &Error, me: usize) {
        let description = plan.description;
        let rank = &self.machine().rank(me)[..self.machine().dimension()];
        self.engine().failures.failed(|| format!("processing '{description}' {message} on rank {rank:?}"));
    }

    /// Runs a task without arguments.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "with this the smallest task takes 280 instructions, without it 325")]
    pub(super) fn run_bare(&self, plan: &'static Plan, me: usize, counts: &Counts) {
        let trace = self.engine().trace();
        let start = trace.begin();
        self.context.with(|own| {
            own.bare.stand_for(plan);
            own.frame.task = &raw mut own.bare;
            counts.note_running(&raw mut own.bare, plan);
        });
        let result = self.call_back(plan.callee, plan.cores, &mut []);
        self.context.put_bare();
        counts.note_idle();
        if trace.is_on() {
            trace.task(me, start, plan.description);
        }
        if let Err(message) = result {
            self.failed(plan, &message, me);
        }
        self.context.give_back();
        self.ended(counts);
    }

    /// Executes a task, for all to see, and records it when a trace is on.
    #[inline]
    fn traced(&self, task: *mut Task, plan: &'static Plan, me: usize, counts: &Counts) -> Result<(), Error> {
        let trace = self.engine().trace();
        let start = trace.begin();
        counts.note_running(task, plan);
        let result = self.execute(task, plan);
        counts.note_idle();
        if trace.is_on() {
            trace.task(me, start, plan.description);
        }
        result
    }

    /// Calls the function; what went wrong is told in words.
    #[inline]
    fn execute(&self, task: *mut Task, plan: &'static Plan) -> Result<(), Error> {
        // SAFETY: a running task belongs to its worker, which is this thread.
        let numbers = unsafe { Task::numbers(task) };
        if plan.produces() {
            carry_all(self, numbers, plan).map_err(|error| not_started(&error))?;
        }
        if plan.count > FEW {
            return if plan.count <= MANY {
                self.execute_many(task, numbers, plan)
            } else {
                self.execute_most(task, numbers, plan)
            };
        }
        let mut ids = [DataId::NONE; FEW];
        for (id, &number) in ids.iter_mut().zip(numbers) {
            *id = DataId::here(number);
        }
        self.call(task, plan, &mut ids[..plan.count])
    }

    #[inline(never)]
    fn execute_many(&self, task: *mut Task, numbers: &[u64], plan: &'static Plan) -> Result<(), Error> {
        let mut room = [const { MaybeUninit::<DataId>::uninit() }; MANY];
        for (id, &number) in room.iter_mut().zip(numbers) {
            id.write(DataId::here(number));
        }
        // SAFETY: a task has as many ids as its plan has arguments, which were just written.
        let ids = unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast::<DataId>(), plan.count) };
        self.call(task, plan, ids)
    }

    #[cold]
    #[inline(never)]
    fn execute_most(&self, task: *mut Task, numbers: &[u64], plan: &'static Plan) -> Result<(), Error> {
        let mut ids =
            memory::list(numbers.iter().map(|&number| DataId::here(number))).map_err(|error| not_started(&error))?;
        self.call(task, plan, &mut ids)
    }

    /// Calls the function with ids that it may write to.
    #[inline]
    fn call(&self, task: *mut Task, plan: &'static Plan, ids: &mut [DataId]) -> Result<(), Error> {
        self.context.with(|own| own.frame.task = task);
        let result = self.call_back(plan.callee, plan.cores, ids);
        self.context.put_all();
        result
    }

    /// Publishes or poisons the outputs, drops the references, and gives the descriptor back.
    #[inline]
    fn finish(&self, task: *mut Task, plan: &'static Plan, outcome: Outcome, me: usize) {
        // SAFETY: the task belongs to this worker; nobody else looks at it.
        let numbers = unsafe { Task::numbers(task) };
        let waiters = if plan.produces() { self.publish_outputs(numbers, plan, outcome, me) } else { Chain::EMPTY };
        self.context.with(|own| {
            if plan.count <= FEW {
                drop_all::<false>(own, numbers, plan);
            } else {
                drop_many(own, numbers, plan);
            }
            // SAFETY: it came from the pool, and belongs to this worker; it is in no list.
            unsafe { POOL.give(&mut own.tasks, task, plan.count) };
        });
        if !waiters.is_empty() {
            self.context.with(|own| own.finishing = true);
            self.activate(waiters, outcome);
            self.context.with(|own| own.finishing = false);
            if self.context.with(|own| own.hides_a_task()) {
                self.show_task(me);
            }
        }
        self.context.give_back();
    }

    /// Lets others have the task that is kept here: free callbacks come first, and may take long.
    #[cold]
    #[inline(never)]
    fn show_task(&self, me: usize) {
        let engine = self.engine();
        if let Some(lifo_slot) = self.context.with(Own::lifo_slot) {
            engine.workers[me].queue.keep(lifo_slot);
            engine.show_tasks(me);
        }
    }
}

impl Call {
    /// Publishes or poisons the outputs of a task that has ended. Who waited for the last one is left to the caller,
    /// who has something else to do while their descriptors come from another core.
    #[inline]
    fn publish_outputs(&self, numbers: &[u64], plan: &Plan, outcome: Outcome, me: usize) -> Chain {
        let mut waiters = Chain::EMPTY;
        for place in plan.outputs() {
            let id = DataId::here(numbers[place]);
            let bytes = if outcome == Outcome::Published { self.traced_size(id) } else { None };
            self.trace_publication(id, bytes);
            if !waiters.is_empty() {
                self.activate(std::mem::replace(&mut waiters, Chain::EMPTY), outcome);
            }
            waiters = self.context.with(|own| STORE.finish(&mut own.data, id, outcome, me as u32));
        }
        waiters.expect();
        waiters
    }
}

/// Drops the references of a task's inputs. `MANY`: their lines are asked for a little ahead.
#[inline]
fn drop_all<const MANY: bool>(own: &mut Own, numbers: &[u64], plan: &Plan) {
    for place in plan.inputs() {
        if MANY {
            STORE.expect_next(numbers, place, |&number| number);
        }
        STORE.drop_taken(&mut own.data, DataId::here(numbers[place]));
    }
}

#[inline(never)]
fn drop_many(own: &mut Own, numbers: &[u64], plan: &Plan) {
    drop_all::<true>(own, numbers, plan);
}

#[cold]
fn not_started(error: &Error) -> Error {
    Error::new(error.code(), format!("could not start: {error}"))
}

/// Gives each output of a starting task that carries an input on its storage: the last one of each input may have the
/// input's own, the others get copies before that.
#[inline]
fn carry_all(call: &Call, numbers: &[u64], plan: &Plan) -> Result<(), Error> {
    for place in plan.outputs() {
        STORE.expect_waiter(DataId::here(numbers[place]));
        if let Some(predecessor) = STORE.predecessor(DataId::here(numbers[place])) {
            carry(call, (numbers, plan), place, predecessor)?;
        }
    }
    Ok(())
}

/// Gives the output at this place the storage of its predecessor, or a copy.
fn carry(call: &Call, (numbers, plan): (&[u64], &Plan), place: usize, predecessor: DataId) -> Result<(), Error> {
    let shares = |later: usize| later > place && STORE.predecessor(DataId::here(numbers[later])) == Some(predecessor);
    let last = !plan.outputs().any(shares);
    let mine = plan.inputs().filter(|&input| numbers[input] == predecessor.number()).count();
    let output = DataId::here(numbers[place]);
    if let Carry::Copy { from, size } = STORE.carry(predecessor, output, mine as u32, last) {
        STORE.adopt(output, &copied(call, predecessor, from, size)?);
    }
    Ok(())
}

/// New memory with the bytes of a published input of the task.
#[cold]
fn copied(call: &Call, id: DataId, from: *const u8, size: usize) -> Result<Storage, Error> {
    let trace = call.engine().trace();
    let start = trace.begin();
    // SAFETY: the task holds a reference of its published input: the bytes stay and do not change.
    let copy = call.context.with(|own| unsafe { own.data.copied(from, size) });
    trace.copy(call.worker(), start, id.number(), size);
    copy
}
