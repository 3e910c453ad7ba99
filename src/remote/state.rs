//! What a process keeps of its job, and a step: an event that changes it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::across_inbox::AcrossInbox;
use super::code_loader::{CodeLoader, CodeState};
use super::outbox::Outbox;
use super::recorded::{Records, is_record};
use super::runs::Runs;
use crate::data::{DataCache, DatumId, FreshBytes};
use crate::engine::{Call, Goal, Target};
use crate::error::{Error, dvm_retcode_t};
use crate::id::{IdMap, ProcessId, ProcessingId};
use crate::processing::Signature;
use crate::protocol::copies::{Arrival, RemoteCopies};
use crate::protocol::images::Announcements;
use crate::protocol::loans::{Held, Holder, LoanHome};
use crate::protocol::membership::Membership;
use crate::protocol::promises::{OutputClaim, Promise};
use crate::protocol::recovery::Recovery;
use crate::protocol::rounds::Rounds;
use crate::protocol::tasks::{ReceivedTasks, SentTasks};
use crate::protocol::termination::Termination;
use crate::protocol::{Breach, ProcessSet};
use crate::sync::lock::{Condvar, Mutex, MutexGuard};
use crate::sync::thread::Thread;
use crate::system;
use crate::trace::Wishes;
use crate::transport::Transport;
use crate::wire::{BatchHead, Done, Message, RoundKey};
use smallvec::SmallVec;

/// What became of a message: nothing, or its sender has broken the rules.
pub(super) type Handled = Result<(), Breach>;

/// Where the bytes of a datum of this process are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BytesPlace {
    Nowhere,
    Here,
    Away(ProcessId),
    Poisoned,
}

/// A datum of this process that other processes use.
pub(super) struct NearDatum {
    pub(super) loans: LoanHome,
    pub(super) promise: Promise,
    pub(super) place: BytesPlace,
    /// Where its producer ran, if that is elsewhere: the bytes are kept there.
    pub(super) producer: Option<ProcessId>,
    /// The number of bytes, once they exist.
    pub(super) size: u64,
    /// A request for the bytes that lie elsewhere.
    pub(super) ticket: Option<u32>,
    /// Tasks that wait for it, beside those of the local slot.
    pub(super) waiting: Vec<Arrival>,
    /// The far datum whose storage it carries on.
    pub(super) carries: Option<DatumId>,
    /// Why it is poisoned, as a process that asks is told.
    pub(super) failure: Option<(dvm_retcode_t, String)>,
}

/// A use of a far datum that waits for a reference.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// By a task that is being scheduled.
    Task(u64),
    /// To drop it.
    Relax,
}

/// A datum of another process.
#[derive(Default)]
pub(super) struct FarDatum {
    pub(super) held: Held,
    pub(super) holder: Holder,
    pub(super) wants: VecDeque<Want>,
    pub(super) size: u64,
    /// The local slot, while the bytes are here, or are being produced here.
    pub(super) slot: Option<DatumId>,
    /// A task of this process produces it, or has.
    pub(super) output: Option<OutputClaim>,
    /// Threads that use it outside the arguments of tasks.
    pub(super) gets: Vec<Arrival>,
    /// Threads that were given the slot, and have not got its bytes yet.
    pub(super) given: u32,
    /// Why there will be no bytes.
    pub(super) failure: Option<(dvm_retcode_t, String)>,
}

/// A task that is being scheduled, and waits for references.
pub(super) struct PendingTask {
    pub(super) target: Target,
    pub(super) function: ProcessingId,
    pub(super) signature: &'static Signature,
    pub(super) ids: Vec<DatumId>,
    pub(super) missing: usize,
    /// Whether the places of its inputs were asked for, if it runs near them.
    pub(super) located: bool,
    /// Where inputs are, as their homes have said, and their sizes.
    pub(super) places: Vec<(DatumId, ProcessId, u64)>,
    /// The far inputs whose references it has.
    pub(super) granted: Vec<DatumId>,
    /// The first input of which there is no reference.
    pub(super) denied: Option<DatumId>,
}

/// A task as its scheduler names it.
#[derive(Clone, Copy)]
pub(super) struct TaskCall<'a> {
    pub(super) target: Target,
    pub(super) function: ProcessingId,
    pub(super) signature: &'static Signature,
    pub(super) ids: &'a [DatumId],
    /// Where inputs are, as their homes have said, and their sizes.
    pub(super) places: &'a [(DatumId, ProcessId, u64)],
    /// The far inputs whose references it has.
    pub(super) granted: &'a [DatumId],
}

impl PendingTask {
    pub(super) fn call(&self) -> TaskCall<'_> {
        let PendingTask { target, function, signature, ids, places, granted, .. } = self;
        TaskCall { target: *target, function: *function, signature, ids, places, granted }
    }
}

/// What the scheduler keeps of a task that it has sent.
pub(super) struct SentTask {
    pub(super) description: &'static str,
    pub(super) inputs: SmallVec<[DatumId; 2]>,
    /// How it is sent again after the loss of its runner.
    pub(super) again: Option<Box<Repetition>>,
}

/// What a process keeps to recover from losses.
#[derive(Default)]
pub(super) struct Recovering {
    pub(super) tasks: Recovery<SentTask>,
    /// Processes that wait in `dvm_serve`: their main functions schedule nothing more.
    pub(super) serving: ProcessSet,
    /// Tasks that are sent again at the end of this step, and whether each had ended; their outputs.
    pub(super) again: Vec<(SentTask, bool)>,
    pub(super) reopened: BTreeSet<DatumId>,
    /// Failures that processes have told of since the last end, and not counted for it: how many, and the first one's text.
    pub(super) failures: IdMap<ProcessId, (u64, String)>,
    /// A process was lost that did not serve; for the next wait.
    pub(super) unserved: Option<String>,
    /// The first reason why the loss that is being settled cannot be recovered from.
    pub(super) reason: Option<String>,
}

/// A task as it is sent again.
pub(super) struct Repetition {
    pub(super) task: PendingTask,
    /// Outputs that carry on other data.
    pub(super) carried: Vec<(DatumId, DatumId)>,
}

/// An output that was granted before its task came.
pub(super) struct EarlyGrant {
    pub(super) scheduler: ProcessId,
    pub(super) sequence: u32,
    pub(super) id: DatumId,
    pub(super) size: u64,
    pub(super) carries: Option<DatumId>,
}

/// Where a use of bytes by a thread has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brought {
    Waits,
    Here,
    Never,
}

/// What a bulk transfer is for.
pub(super) enum Transfer {
    /// The bytes of this local slot go out.
    Out(DatumId),
    /// The bytes of a request come in.
    In { ticket: u32 },
    /// Elements of a round go out ...
    Offered,
    /// ... or come in.
    Elements { key: RoundKey, from: ProcessId },
}

/// How far the end has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    /// How many ends there were.
    pub(super) count: u32,
    /// How many of them closed the job.
    pub(super) closing: u32,
    /// Who has said that it knows the last of them, or is gone since.
    pub(super) farewells: ProcessSet,
    /// What the last one told.
    pub(super) verdict: Option<(ProcessId, dvm_retcode_t, String)>,
    pub(super) failures: u64,
}

/// A failure as it is told to all: whose, its code and its text.
pub(super) type ToldFailure = (ProcessId, dvm_retcode_t, String);

pub(super) struct State {
    pub(super) membership: Membership,
    pub(super) termination: Termination,
    pub(super) near: IdMap<DatumId, NearDatum>,
    pub(super) far: IdMap<DatumId, FarDatum>,
    /// Far data by their local slots.
    pub(super) slots: IdMap<DatumId, DatumId>,
    pub(super) copies: RemoteCopies,
    pub(super) pending: IdMap<u64, PendingTask>,
    pub(super) sent: Vec<SentTasks<SentTask>>,
    pub(super) received: Vec<ReceivedTasks>,
    pub(super) runs: Runs,
    /// Those with claims, by sender and number.
    pub(super) by_sequence: IdMap<(ProcessId, u32), Arrival>,
    pub(super) early: Vec<EarlyGrant>,
    /// Near tasks that are being scheduled, by the inputs whose places they have to know.
    pub(super) locating: IdMap<DatumId, Vec<u64>>,
    /// Inputs whose places are known now.
    pub(super) located: Vec<DatumId>,
    /// Where far inputs of such tasks are, and their sizes.
    pub(super) hints: IdMap<DatumId, (ProcessId, u64)>,
    /// Promises of this process for which threads of the program wait, and how many do.
    pub(super) waited: IdMap<DatumId, u32>,
    /// Threads that wait for bytes of other processes' data.
    pub(super) brought: IdMap<Arrival, Brought>,
    /// Tasks that ask whether there are bytes, by the ticket of the question.
    pub(super) echoes: IdMap<u32, Arrival>,
    pub(super) numbers: u64,
    /// Processings of other processes, as they are registered here.
    pub(super) functions: IdMap<ProcessingId, Result<ProcessingId, Error>>,
    /// Processings that threads have asked other processes about.
    pub(super) asked: Vec<ProcessingId>,
    pub(super) announcements: Announcements,
    pub(super) code: CodeState,
    /// Why processes are believed to be lost.
    pub(super) suspects: IdMap<ProcessId, String>,
    pub(super) outboxes: Vec<Outbox>,
    /// The pieces that have come of each process's batch.
    pub(super) long: Vec<Vec<u8>>,
    pub(super) transfers: IdMap<u64, Transfer>,
    /// Requests of this process for bytes of its own data, by their tickets.
    pub(super) requests: IdMap<u32, DatumId>,
    /// Redistributions over processes, and elements that have come for them.
    pub(super) rounds: Rounds,
    pub(super) elements: IdMap<(RoundKey, ProcessId), FreshBytes>,
    /// Regions that run on all processes.
    pub(super) across: AcrossInbox,
    pub(super) ends: Ends,
    /// The first failure of the lowest process below this one, or of this one.
    pub(super) first: Option<ToldFailure>,
    /// A thread waits, and what it waits for has not come: only then this process can be idle.
    pub(super) waits: Option<EndWait>,
    /// Threads that have yet to give back what steps of theirs have freed: callbacks of the program run then.
    pub(super) giving_back: u32,
    /// The thread that waits finalizes.
    pub(super) closing: bool,
    /// A loss that the next wait tells.
    pub(super) lost: Option<String>,
    /// Threads are to be woken.
    pub(super) wake: bool,
    /// How often they were.
    pub(super) version: u64,
    /// Those to whom something is to be sent.
    pub(super) addressees: Vec<ProcessId>,
    pub(super) eager: usize,
    pub(super) records: Records,
    /// What is kept to recover from losses, if the user wants that.
    pub(super) recovery: Option<Box<Recovering>>,
}

/// Nothing is left to be sent.
pub(super) const NEVER: u64 = u64::MAX;

/// A step: the state, while it is held.
pub(super) struct Step<'a> {
    pub(super) remote: &'a Remote,
    pub(super) state: &'a mut State,
    pub(super) call: &'a Call,
}

impl State {
    /// The state at the beginning.
    pub(super) fn new(me: ProcessId, count: u32, cache: u64, eager: usize) -> State {
        State {
            membership: Membership::new(me, count),
            termination: Termination::new(me, count),
            near: IdMap::default(),
            waited: IdMap::default(),
            far: IdMap::default(),
            slots: IdMap::default(),
            copies: RemoteCopies::new(cache),
            pending: IdMap::default(),
            sent: (0..count).map(|_| SentTasks::default()).collect(),
            received: (0..count).map(|_| ReceivedTasks::default()).collect(),
            runs: Runs::default(),
            by_sequence: IdMap::default(),
            early: Vec::new(),
            locating: IdMap::default(),
            located: Vec::new(),
            hints: IdMap::default(),
            brought: IdMap::default(),
            echoes: IdMap::default(),
            numbers: 0,
            functions: IdMap::default(),
            asked: Vec::new(),
            announcements: Announcements::default(),
            code: CodeState::default(),
            suspects: IdMap::default(),
            outboxes: (0..count).map(|_| Outbox::default()).collect(),
            long: (0..count).map(|_| Vec::new()).collect(),
            transfers: IdMap::default(),
            requests: IdMap::default(),
            rounds: Rounds::new(me),
            elements: IdMap::default(),
            across: AcrossInbox::default(),
            ends: Ends::default(),
            first: None,
            waits: None,
            giving_back: 0,
            closing: false,
            lost: None,
            wake: false,
            version: 0,
            addressees: Vec::new(),
            eager,
            records: Records::new(count as usize),
            recovery: None,
        }
    }

    /// The next number.
    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// A thread that has asked about a processing waits no longer.
    pub(super) fn forget_question(&mut self, id: ProcessingId) {
        if let Some(place) = self.asked.iter().position(|asked| *asked == id) {
            self.asked.swap_remove(place);
        }
    }
}

/// The place of a process in lists by process.
pub(super) fn index(process: ProcessId) -> usize {
    process.index() as usize
}

/// Whether the end counts a message.
pub(super) fn is_counted(message: &Message<'_>) -> bool {
    !matches!(message, Message::Wave { .. } | Message::Answer { .. } | Message::End(_) | Message::Beat)
        && !is_record(message)
}

/// A task that follows another message within this time, in nanoseconds, may go along with more.
pub(super) const BURST: u64 = 500;

/// The end of a task may go along with more that is sent within this time, in nanoseconds, from the last message on.
pub(super) const TOGETHER: u64 = 2_000;

impl Step<'_> {
    /// The calling process.
    pub(super) fn me(&self) -> ProcessId {
        self.remote.me
    }

    /// Calls of the store need the thread's cache.
    pub(super) fn data<R>(&self, body: impl FnOnce(&mut DataCache) -> R) -> R {
        self.call.data_cache(body)
    }

    /// Puts a message into the outbox of a process that is alive. After the end it would come in the next life of that one.
    pub(super) fn send(&mut self, to: ProcessId, message: &Message<'_>) {
        debug_assert_ne!(to, self.me(), "nothing is sent to oneself: {message:?}");
        let over = self.remote.stopping.load(Ordering::Relaxed);
        if !self.state.membership.is_alive(to) || to == self.me() || over {
            return;
        }
        if is_counted(message) {
            self.state.termination.count_sent(to);
        }
        self.state.records.traffic.sent[index(to)].messages += 1;
        let most = self.remote.transport.largest_batch();
        let outbox = &mut self.state.outboxes[index(to)];
        if outbox.is_empty() {
            self.state.addressees.push(to);
        }
        if let Err(refusal) = outbox.add(message, most) {
            // What this library writes can be written: callers check what the program gives.
            self.call.note_defect(&format!("{message:?} cannot be sent: {refusal}"));
        }
    }

    /// Tells a process that a task of its has ended. The ends of tasks that it has sent one after the other are one message.
    pub(super) fn send_done(&mut self, to: ProcessId, done: Done<'_>) {
        if !self.state.outboxes[index(to)].add_to_done(&done) {
            self.send(to, &Message::Done(done));
            self.state.outboxes[index(to)].note_done(&done);
        }
    }

    /// Sends what is in the outboxes, as far as there is room.
    pub(super) fn flush(&mut self) {
        if self.state.addressees.is_empty() {
            if self.remote.due.load(Ordering::Relaxed) != NEVER {
                self.remote.due.store(NEVER, Ordering::Relaxed); // those to whom something was left are lost
            }
            return;
        }
        let head = BatchHead { load: self.state.runs.len() as u32, epoch: self.state.membership.epoch() };
        let (outboxes, sent) = (&mut self.state.outboxes, &mut self.state.records.traffic.sent);
        self.state.addressees.retain(|to| {
            let outbox = &mut outboxes[index(*to)];
            outbox.flush(&*self.remote.transport, to.index() as u32, head, &mut sent[index(*to)]);
            !outbox.is_empty()
        });
        let now = self.remote.now();
        self.remote.flushed.store(now, Ordering::Relaxed);
        self.remote.due.store(if self.has_unsent() { now } else { NEVER }, Ordering::Relaxed);
    }

    /// Whether something was not sent yet.
    pub(super) fn has_unsent(&self) -> bool {
        !self.state.addressees.is_empty()
    }

    /// Sends, or leaves what follows within this time on something else to be sent along with more: to this thread, which
    /// sends when it polls, or to the progress thread.
    fn flush_soon(&mut self, within: u64) {
        if !self.has_unsent() {
            return;
        }
        let due = self.remote.flushed.load(Ordering::Relaxed) + within;
        if self.remote.progress_looks.load(Ordering::Acquire) && self.remote.now() < due {
            self.remote.due.fetch_min(due, Ordering::Relaxed);
        } else {
            self.flush();
        }
    }

    /// Counts a failure: bytes that have come cannot be kept.
    pub(super) fn no_room(&self, id: DatumId, error: &Error) {
        self.call.count_failure(|| format!("the bytes of datum {id} have no room here: {error}"));
    }

    /// Wakes all threads that wait for a change.
    pub(super) fn wake(&mut self) {
        self.state.wake = true;
    }
}

/// One process's part of a job.
pub(crate) struct Remote {
    pub(super) me: ProcessId,
    pub(super) transport: Arc<dyn Transport>,
    pub(super) state: Mutex<State>,
    /// Signalled with each change that a thread may wait for.
    pub(super) changed: Condvar,
    pub(super) polls: Polls,
    pub(super) stopping: AtomicBool,
    /// When what is left to be sent is to be sent at the latest, in nanoseconds from the start; or [`NEVER`].
    pub(super) due: AtomicU64,
    /// When something was last sent: nanoseconds from the start.
    pub(super) flushed: AtomicU64,
    /// The progress thread looks around often: it sends what others leave to it.
    pub(super) progress_looks: AtomicBool,
    /// A thread waits for the end, and this process has not said that it is idle.
    pub(super) may_be_idle: AtomicBool,
    /// Something has come for a region.
    pub(super) across_came: AtomicBool,
    /// Workers take part in a call of a region.
    pub(super) across_workers: AtomicBool,
    pub(super) progress: Mutex<Option<Thread>>,
    /// The clock at the start.
    pub(super) start: u64,
    /// Which of the jobs of this process it is.
    pub(super) life: u64,
    /// How long a process may be silent.
    pub(super) patience: Duration,
    /// What each process records.
    pub(super) wishes: Vec<Wishes>,
    /// Process 0 is on another host: its clock is another one.
    pub(super) has_far_clock: bool,
    /// Whether this process reads shared memory of others of its host where it lies.
    pub(super) maps: bool,
    /// Code that is sent, and loaded.
    pub(super) code: CodeLoader,
}

impl Remote {
    /// Changes the state; what is to be sent is sent after it. Memory of freed data is given back, which may call the
    /// program.
    pub(super) fn step<R>(&self, call: &Call, change: impl FnOnce(&mut Step<'_>) -> R) -> R {
        self.step_soon(call, 0, change)
    }

    /// The same for what need not be sent at once if something else was sent within this time.
    pub(super) fn step_soon<R>(&self, call: &Call, within: u64, change: impl FnOnce(&mut Step<'_>) -> R) -> R {
        let (result, owes) = self.change_and(call, change, within);
        self.give_back(call, owes);
        result
    }

    /// As `step`, without giving memory back.
    pub(super) fn change<R>(&self, call: &Call, change: impl FnOnce(&mut Step<'_>) -> R) -> R {
        let mut state = self.state.lock();
        let result = self.changed_by(call, &mut state, change, 0);
        self.unlock(call, state);
        result
    }

    /// Also says what is to be handed to `give_back`.
    fn change_and<R>(&self, call: &Call, change: impl FnOnce(&mut Step<'_>) -> R, within: u64) -> (R, Owes) {
        let mut state = self.state.lock();
        let result = self.changed_by(call, &mut state, change, within);
        let owes = state.note_owed(call);
        self.unlock(call, state);
        (result, owes)
    }

    fn changed_by<R>(&self, call: &Call, state: &mut State, change: impl FnOnce(&mut Step<'_>) -> R, within: u64) -> R {
        let mut step = Step { remote: self, state, call };
        let result = change(&mut step);
        step.dispatch_located();
        if within > 0 {
            step.flush_soon(within);
        } else {
            step.flush();
        }
        result
    }

    /// Gives back what a step has freed. No wait ends before that: the program may count what its callbacks free.
    pub(super) fn give_back(&self, call: &Call, Owes(owes): Owes) {
        call.give_back();
        if owes {
            self.change(call, |step| {
                step.state.giving_back -= 1;
                step.look_around_if_last();
            });
        }
    }

    /// Takes in all that has come, as one step: whether there was something, and what is to be handed to `give_back`. For
    /// the thread that polls.
    pub(super) fn take_in(&self, call: &Call) -> (bool, Owes) {
        let mut held = None;
        let any = self.transport.poll(&mut |event| {
            let state = held.get_or_insert_with(|| self.state.lock());
            let mut step = Step { remote: self, state, call };
            step.event(event);
            step.dispatch_located();
        });
        if let Some(mut state) = held {
            let mut step = Step { remote: self, state: &mut state, call };
            step.look_around_if_last();
            step.flush();
            let owes = state.note_owed(call);
            self.unlock(call, state);
            (any, owes)
        } else {
            let due = self.due.load(Ordering::Relaxed);
            if due != NEVER && self.now() >= due {
                self.change(call, |_| {});
            }
            (any, Owes(false))
        }
    }

    /// After a step: wakes those who wait for what it has changed.
    fn unlock(&self, call: &Call, mut state: MutexGuard<'_, State>) {
        let wake = std::mem::take(&mut state.wake);
        state.version += u64::from(wake);
        drop(state);
        if wake {
            self.changed.notify_all();
            call.notice();
        }
    }

    /// Sleeps until threads are woken, or for so long. `version`: of the state that the calling thread has seen.
    pub(super) fn sleep(&self, version: u64, longest: Duration) {
        let mut state = self.state.lock();
        if state.version == version {
            self.changed.wait_for(&mut state, longest);
        }
    }

    /// Nanoseconds since the start.
    pub(super) fn now(&self) -> u64 {
        system::monotonic_nanoseconds() - self.start
    }
}

impl State {
    /// Notes whether the calling thread has freed something that it has not given back.
    fn note_owed(&mut self, call: &Call) -> Owes {
        let owes = call.owes();
        self.giving_back += u32::from(owes);
        Owes(owes)
    }
}

/// Whether a step has left something to give back, which `giving_back` counts.
#[must_use]
pub(super) struct Owes(bool);

/// Polls of a process.
#[derive(Default)]
pub(super) struct Polls {
    /// Held by the thread that polls.
    pub(super) turn: Mutex<()>,
    /// How often workers have polled, more or less.
    pub(super) count: AtomicU64,
    /// When a worker last polled: nanoseconds from the start.
    pub(super) by_workers: AtomicU64,
    /// When a thread that waits last did.
    pub(super) by_others: AtomicU64,
    /// One of them has stopped, and the progress thread, which `stops` wakes, does not know it yet.
    pub(super) stopped: Mutex<bool>,
    pub(super) stops: Condvar,
}

/// A thread that waits for the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndWait {
    pub(super) goal: Goal,
    /// How many ends there were before.
    pub(super) ends: u32,
}
