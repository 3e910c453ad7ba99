//! One task, from start to end.

use std::convert::Infallible;
use std::mem::MaybeUninit;

use crate::data::{Carry, DatumId, Outcome, STORE, Storage};
use crate::engine::context::Own;
use crate::engine::context::call::Call;
use crate::engine::context::task_gets::FEW_ARGUMENTS;
use crate::engine::context::worker_counts::WorkerCounts;
use crate::engine::observe::failures::data_in_words;
use crate::error::Error;
use crate::id::ProcessId;
use crate::idle::completion::count;
use crate::memory;
use crate::processing::access::for_function;
use crate::processing::{Mode, Signature};
use crate::sync::inbox::Chain;
use crate::task::{OwnedTask, POOL};
use crate::trace::Stamp;

/// Up to this number of arguments, the ids of a task are on the stack.
const MAX_STACK_IDS: usize = 64;

impl Call {
    /// Runs or cancels a task, and releases everything that it held. The caller is the worker `me`.
    #[inline(never)]
    pub(crate) fn run(&self, task: OwnedTask, me: usize, counts: &WorkerCounts) {
        if task.is_near() && task.worker() != me as u16 {
            self.counted_for(task.worker() as usize, me);
            task.set_worker(me as u16);
        }
        if task.is_marked() {
            return self.run_marked(task, me, counts);
        }
        let signature = task.signature();
        let (task, outcome) = match self.traced(task, signature, me, counts, |task| self.execute(task, signature)) {
            (task, Ok(())) => (task, Outcome::Published),
            (task, Err(message)) => {
                self.task_failed(&task, signature, &message, me);
                (task, Outcome::Poisoned)
            }
        };
        self.finish(task, signature, outcome, me);
        self.ended(counts);
    }

    /// Counts the end of a task, for its worker first: a thread that has waited for all tasks finds no load.
    #[inline]
    pub(crate) fn ended(&self, counts: &WorkerCounts) {
        count(&counts.ended);
        count(&self.context.counters.ended);
    }

    /// Moves the count of a task from another worker to this one.
    #[cold]
    #[inline(never)]
    pub(crate) fn counted_for(&self, other: usize, me: usize) {
        self.context.give(me, 1);
        self.context.give(other, -1);
    }

    /// Records the failure of a task, which still holds its references.
    #[cold]
    #[inline(never)]
    pub(crate) fn task_failed(&self, task: &OwnedTask, signature: &Signature, message: &Error, me: usize) {
        let far = self.far_ids(task, signature.count);
        let id = |(place, &number)| far.get(place).copied().unwrap_or(DatumId::here(number));
        let ids = task.numbers().iter().enumerate().map(id);
        self.failed(signature, message, me, &data_in_words(signature, ids));
    }

    /// Counts a failure, and says of it what failed where, and on which data.
    #[cold]
    fn failed(&self, signature: &Signature, message: &Error, me: usize, data: &str) {
        let description = signature.description;
        let rank = self.rank_of(me);
        let rank = rank.outer(self.rank_dimension());
        self.engine().failures.failed(|| format!("processing '{description}' {message} on rank {rank:?}{data}"));
    }

    /// Runs a task without arguments.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "with this the smallest task takes 280 instructions, without it 325")]
    pub(crate) fn run_argumentless(&self, signature: &'static Signature, me: usize, counts: &WorkerCounts) {
        let trace = self.engine().trace();
        let start = trace.begin();
        self.context.with(|own| {
            counts.note_running(own.frame.begin_argumentless(signature), signature);
        });
        let result = self.call_back(&signature.callee, signature.cores, &mut []);
        self.context.put_argumentless();
        counts.note_idle();
        if trace.is_on() {
            trace.task(me, start, signature.description);
        }
        if let Err(message) = result {
            self.failed(signature, &message, me, "");
        }
        self.context.give_back();
        self.ended(counts);
    }

    /// Runs a task visibly to observers, and records the run if a trace is on.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    pub(crate) fn traced(
        &self,
        task: OwnedTask,
        signature: &'static Signature,
        me: usize,
        counts: &WorkerCounts,
        execute: impl FnOnce(OwnedTask) -> (OwnedTask, Result<(), Error>),
    ) -> (OwnedTask, Result<(), Error>) {
        let trace = self.engine().trace();
        let start = trace.begin();
        counts.note_running(task.address(), signature);
        let result = execute(task);
        counts.note_idle();
        if trace.is_on() {
            trace.task(me, start, signature.description);
            if trace.wants_arguments() {
                self.trace_arguments(&result.0, signature, me, start);
            }
        }
        result
    }

    /// Records the data of a task that has run; it still holds its references.
    #[cold]
    #[inline(never)]
    fn trace_arguments(&self, task: &OwnedTask, signature: &Signature, me: usize, start: Stamp) {
        let far = self.far_ids(task, signature.count);
        let argument = |(place, &number): (usize, &u64)| {
            let produced = signature.mode(place) == Mode::Out;
            let here = DatumId::here(number);
            let id = far.get(place).copied().unwrap_or(here);
            ([id.home().index(), id.number()], STORE.noted_size(here), produced)
        };
        self.engine().trace().arguments(me, start, task.numbers().iter().enumerate().map(argument));
    }

    /// Calls the function. The error is a message.
    #[inline]
    fn execute(&self, task: OwnedTask, signature: &'static Signature) -> (OwnedTask, Result<(), Error>) {
        if signature.produces()
            && let Err(error) = carry_all(self, task.numbers(), signature)
        {
            return (task, Err(not_started(&error)));
        }
        if signature.count > FEW_ARGUMENTS {
            return if signature.count <= MAX_STACK_IDS {
                self.execute_many(task, signature)
            } else {
                self.execute_most(task, signature)
            };
        }
        let mut ids = [DatumId::NONE; FEW_ARGUMENTS];
        let here = ProcessId::here().index();
        for (id, &number) in ids.iter_mut().zip(task.numbers()) {
            *id = DatumId::from_raw([here, number]);
        }
        self.call(task, signature, &mut ids[..signature.count])
    }

    /// The same with the ids that the function gets, which are not those of the task's local slots.
    pub(crate) fn execute_shared(
        &self,
        task: OwnedTask,
        signature: &'static Signature,
        ids: &mut [DatumId],
    ) -> (OwnedTask, Result<(), Error>) {
        if let Err(error) = carry_all(self, task.numbers(), signature) {
            return (task, Err(not_started(&error)));
        }
        self.context.with(|own| own.frame.name_arguments(ids));
        let result = self.call(task, signature, ids);
        self.context.with(|own| own.frame.forget_names());
        result
    }

    #[inline(never)]
    fn execute_many(&self, task: OwnedTask, signature: &'static Signature) -> (OwnedTask, Result<(), Error>) {
        let mut room = [const { MaybeUninit::<DatumId>::uninit() }; MAX_STACK_IDS];
        let numbers = task.numbers().iter().map(|&number| Ok::<_, Infallible>(DatumId::here(number)));
        let Ok(ids) = memory::filled(&mut room, numbers);
        self.call(task, signature, ids)
    }

    #[cold]
    #[inline(never)]
    fn execute_most(&self, task: OwnedTask, signature: &'static Signature) -> (OwnedTask, Result<(), Error>) {
        match memory::list(task.numbers().iter().map(|&number| DatumId::here(number))) {
            Ok(mut ids) => self.call(task, signature, &mut ids),
            Err(error) => (task, Err(not_started(&error))),
        }
    }

    /// Calls the function with a copy of the ids, which the function may write to.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    fn call(
        &self,
        task: OwnedTask,
        signature: &'static Signature,
        ids: &mut [DatumId],
    ) -> (OwnedTask, Result<(), Error>) {
        self.context.with(|own| own.frame.begin(task));
        let ids = match signature.given {
            None => ids,
            Some(given) => for_function(given, ids),
        };
        let result = self.call_back(&signature.callee, signature.cores, ids);
        (self.context.put_all(), result)
    }

    /// Publishes or poisons the outputs, drops the references, and frees the descriptor.
    #[inline]
    pub(crate) fn finish(&self, task: OwnedTask, signature: &'static Signature, outcome: Outcome, me: usize) {
        let waiters = if signature.produces() {
            self.publish_outputs(task.numbers(), signature, outcome, me)
        } else {
            Chain::EMPTY
        };
        self.context.with(|own| {
            let numbers = task.numbers();
            if signature.count <= FEW_ARGUMENTS {
                drop_all::<false>(own, numbers, signature);
            } else {
                drop_many(own, numbers, signature);
            }
            POOL.give(&mut own.tasks, task);
        });
        if !waiters.is_empty() {
            self.context.with(|own| own.finishing = true);
            self.activate_last(waiters, outcome);
            self.context.with(|own| own.finishing = false);
            if self.context.with(|own| own.hides_a_task()) {
                self.show_task(me);
            }
        }
        self.context.give_back();
    }

    /// Makes the task in the LIFO slot stealable: free callbacks come first, and may take long.
    #[cold]
    #[inline(never)]
    fn show_task(&self, me: usize) {
        if let Some(post) = self.context.post()
            && let Some(lifo_slot) = self.context.with(Own::lifo_slot)
        {
            post.queue().keep(lifo_slot);
            self.engine().show_tasks(me);
        }
    }
}

impl Call {
    /// Publishes or poisons the outputs of a task that has ended. The waiters of the last output are left to the
    /// caller, which has other work while their descriptors come from another core.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    fn publish_outputs(&self, numbers: &[u64], signature: &Signature, outcome: Outcome, me: usize) -> Chain {
        let mut waiters = Chain::EMPTY;
        for place in signature.outputs() {
            let id = DatumId::here(numbers[place]);
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

/// Drops the references of a task's inputs. With `MANY`, their cache lines are prefetched a little ahead.
#[inline]
fn drop_all<const MANY: bool>(own: &mut Own, numbers: &[u64], signature: &Signature) {
    for place in signature.inputs() {
        if MANY {
            STORE.expect_next(numbers, place, |&number| number);
        }
        STORE.drop_taken(&mut own.data, DatumId::here(numbers[place]));
    }
}

#[inline(never)]
fn drop_many(own: &mut Own, numbers: &[u64], signature: &Signature) {
    drop_all::<true>(own, numbers, signature);
}

#[cold]
fn not_started(error: &Error) -> Error {
    Error::new(error.code(), format!("could not start: {error}"))
}

/// Gives storage to each output of a starting task that carries on an input: the last such output of an input may take
/// the input's own storage, the others get copies before.
#[inline(always)]
#[allow(clippy::inline_always, reason = "measured: once for each task")]
fn carry_all(call: &Call, numbers: &[u64], signature: &Signature) -> Result<(), Error> {
    for place in signature.outputs() {
        STORE.expect_waiter(DatumId::here(numbers[place]));
        if let Some(predecessor) = STORE.predecessor(DatumId::here(numbers[place])) {
            carry(call, (numbers, signature), place, predecessor)?;
        }
    }
    Ok(())
}

/// Gives the output at this place the storage of its predecessor, or a copy.
#[inline(always)]
#[allow(clippy::inline_always, reason = "measured: once for each task")]
fn carry(
    call: &Call,
    (numbers, signature): (&[u64], &Signature),
    place: usize,
    predecessor: DatumId,
) -> Result<(), Error> {
    let shares = |later: usize| later > place && STORE.predecessor(DatumId::here(numbers[later])) == Some(predecessor);
    let last = !signature.outputs().any(shares);
    let mine = signature.inputs().filter(|&input| numbers[input] == predecessor.number()).count();
    // Another argument that is the datum as it was keeps its bytes.
    let last = last && (signature.given.is_none() || !is_read_besides(numbers, signature, predecessor, mine));
    let output = DatumId::here(numbers[place]);
    if let Carry::Copy { from, size } = STORE.carry(predecessor, output, mine as u32, last) {
        STORE.adopt(output, &copied(call, predecessor, from, size)?);
    }
    Ok(())
}

/// Whether a task that updates a datum reads it by another argument as well; `mine` of its inputs are the datum.
#[cold]
fn is_read_besides(numbers: &[u64], signature: &Signature, datum: DatumId, mine: usize) -> bool {
    let updates = |output: &usize| STORE.predecessor(DatumId::here(numbers[*output])) == Some(datum);
    mine > signature.outputs().filter(updates).count()
}

/// New memory with the bytes of a published input of the task.
#[cold]
fn copied(call: &Call, id: DatumId, from: *const u8, size: usize) -> Result<Storage, Error> {
    // SAFETY: the task holds a reference of its published input, so the bytes stay and do not change.
    let bytes = if size > 0 { unsafe { std::slice::from_raw_parts(from, size) } } else { &[] };
    let trace = call.engine().trace();
    let start = trace.begin();
    let copy = call.context.with(|own| own.data.copied(bytes));
    trace.copy(call.worker(), start, id.number(), size);
    copy
}
