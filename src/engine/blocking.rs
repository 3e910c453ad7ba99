//! Blocking sections: a task that is about to wait for something outside libdvm leaves its worker to another thread.
//!
//! Each worker has one *slot*. The thread that holds the slot is the worker: it takes the worker's tasks, polls, steals, and
//! sleeps on its parker. Each slot begins with one thread. A task that begins a blocking section releases the slot, and a
//! spare thread, else a new one, acquires it. A task whose section ends waits for the slot; its holder releases it after
//! the current task and becomes a spare thread. So exactly one thread is the worker at any time, its structures have one
//! owner, and no more tasks run at once than there are workers.
//!
//! Tasks whose sections end again and again would hand the slot to each other for ever. So once per [`RETURNS`] ends a
//! spare thread acquires it first, to run one task or to poll.
//!
//! Nobody waits in a circle: a thread in a section holds nothing (also no cores, `cores.rs`), and a thread that waits for
//! the slot waits for a task that runs. The slot goes back in the order in which the sections ended.

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

use crate::sync::lock::{Condvar, Mutex};
use crate::sync::thread::Thread;

use super::context::Own;
use super::source::Mark;
use super::worker::{self, Address};
use super::{Call, Engine, ThreadContext};
use crate::error::{Error, dvm_retcode_t};
use crate::memory;
use crate::sched::{Placed, ReadyQueue};
use crate::task::Item;

/// So long a spare thread waits for the next section.
const IDLE: Duration = Duration::from_secs(1);

/// So many sections may end on a slot before a ready task goes first. The header states it.
const RETURNS: u32 = 64;

/// Somebody wants the slot.
const SLOT_WANTED: u32 = 1;

/// Somebody wants the worker to stand still (`cores.rs`).
pub(super) const STILL_WANTED: u32 = 2;

/// The right to be a worker; one thread holds it at a time.
pub(super) struct WorkerSlot {
    /// What the worker is to look at before its next task; 0 almost always.
    summons: AtomicU32,
    state: Mutex<State>,
    /// Where spare threads wait; who comes back waits on a condition of its own, so that each change wakes one thread.
    free: Condvar,
    batch: Batch,
}

/// What stays with the slot when its thread releases it.
struct Left {
    /// Placed tasks that the worker has taken out of its inbox.
    placed: Placed,
    /// With a seed: all ready tasks.
    batch: VecDeque<Item>,
}

/// The same, for the thread on the slot.
struct Batch(UnsafeCell<Left>);

// SAFETY: only the thread on the slot touches it, and the slot changes hands under a lock.
unsafe impl Sync for Batch {}
// SAFETY: tasks may change threads.
unsafe impl Send for Batch {}

struct State {
    taken: bool,
    /// Who waits for the slot with a task, in the order in which the sections ended.
    returning: Returning,
    /// Threads without a task that wait for the slot to be free.
    spare: usize,
    /// Threads started for this slot after the first.
    started: usize,
    /// Sections that have ended since a spare thread last acquired the slot out of turn.
    returns: u32,
}

impl State {
    /// True when it is a spare thread's turn, and there is one.
    fn is_turn_of_spare(&self) -> bool {
        self.returns >= RETURNS && self.spare > 0
    }
}

/// A thread whose section has ended. It lies on that thread's stack until it has the slot.
struct Return {
    next: *mut Return,
    seated: bool,
    changed: Condvar,
}

/// A list of such threads, which allocates nothing.
struct Returning {
    first: *mut Return,
    last: *mut Return,
}

// SAFETY: a list is reached under the lock of its slot only, and who is in it stays until it has been taken out.
unsafe impl Send for Returning {}

impl Returning {
    fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// # Safety
    /// It stays where it is until it has been taken out.
    unsafe fn append(&mut self, new: *mut Return) {
        if self.last.is_null() {
            self.first = new;
        } else {
            // SAFETY: it is in the list, hence valid by this function's contract.
            unsafe { (*self.last).next = new };
        }
        self.last = new;
    }

    /// Seats the first, if there is one.
    fn give_to_first(&mut self) -> bool {
        let first = self.first;
        if first.is_null() {
            return false;
        }
        // SAFETY: who is in the list stays until it is seated and has the lock, which the caller holds; its thread uses the
        // condition meanwhile, by shared reference.
        unsafe {
            self.first = (*first).next;
            (*first).seated = true;
            (*first).changed.notify_one();
        }
        if self.first.is_null() {
            self.last = std::ptr::null_mut();
        }
        true
    }
}

impl WorkerSlot {
    /// An empty slot; one thread is about to be started for it.
    pub(super) fn new() -> WorkerSlot {
        let returning = Returning { first: std::ptr::null_mut(), last: std::ptr::null_mut() };
        let state = State { taken: false, returning, spare: 1, started: 0, returns: 0 };
        WorkerSlot {
            summons: AtomicU32::new(0),
            state: Mutex::new(state),
            free: Condvar::new(),
            batch: Batch(UnsafeCell::new(Left { placed: Placed::new(), batch: VecDeque::new() })),
        }
    }

    /// True when something is wanted of the worker before its next task.
    #[inline]
    pub(super) fn signalled(&self) -> bool {
        self.summons.load(Ordering::Relaxed) != 0
    }

    /// Asks something of the worker; whoever calls then wakes it.
    pub(super) fn signal(&self, what: u32) {
        self.summons.fetch_or(what, Ordering::SeqCst);
        fence(Ordering::SeqCst);
    }

    /// Whether this is asked of the worker.
    pub(super) fn asked(&self, what: u32) -> bool {
        self.summons.load(Ordering::SeqCst) & what != 0
    }

    /// Takes a summons back.
    pub(super) fn dismiss(&self, what: u32) {
        self.summons.fetch_and(!what, Ordering::SeqCst);
    }

    /// True when the worker is to release the slot before its next task.
    pub(super) fn is_wanted(&self) -> bool {
        self.asked(SLOT_WANTED)
    }

    /// Lends the worker the tasks that a seed draws from. `body` may not call the program.
    pub(super) fn with_batch<R>(&self, body: impl FnOnce(&mut VecDeque<Item>) -> R) -> R {
        // SAFETY: only the thread on the slot comes here, and `body` does not come back here.
        body(unsafe { &mut (*self.batch.0.get()).batch })
    }

    /// For the thread that releases the slot: leaves the worker's tasks here, those that others may run in its queue.
    pub(super) fn leave_behind(&self, own: &mut Own, queue: &ReadyQueue, holds: impl FnOnce()) {
        if let Some(lifo_slot) = own.lifo_slot() {
            queue.keep(lifo_slot);
            holds();
        }
        // SAFETY: only the thread on the slot comes here.
        unsafe { (*self.batch.0.get()).placed = std::mem::replace(&mut own.placed, Placed::new()) };
    }

    /// For the thread that has acquired the slot: takes the worker's tasks.
    pub(super) fn receive(&self, own: &mut Own) {
        // SAFETY: only the thread on the slot comes here.
        own.placed = unsafe { std::mem::replace(&mut (*self.batch.0.get()).placed, Placed::new()) };
    }

    /// For a spare thread: waits until the slot is free. `None` when the engine stops, or nobody has needed it for long; else
    /// whether it is to run one task whoever wants the slot.
    pub(super) fn acquire(&self, engine: &Engine) -> Option<bool> {
        let mut state = self.state.lock();
        loop {
            if engine.stopping.load(Ordering::SeqCst) {
                return None;
            }
            if !state.taken {
                break;
            }
            let idle = self.free.wait_for(&mut state, IDLE).timed_out();
            // A thread that ends can acquire no slot: the next section starts another one.
            if idle && state.taken && !engine.stopping.load(Ordering::SeqCst) {
                state.spare -= 1;
                return None;
            }
        }
        let turn = state.is_turn_of_spare();
        if turn {
            state.returns = 0;
        }
        state.spare -= 1;
        state.taken = true;
        Some(turn)
    }

    /// Releases the slot between two tasks, for whoever waits for it; the caller is a spare thread from now on.
    pub(super) fn release(&self) {
        let mut state = self.state.lock();
        state.spare += 1;
        self.pass_on(&mut state);
    }

    /// After a release: gives the slot to the first who comes back, else, or when it is its turn, to a spare thread.
    fn pass_on(&self, state: &mut State) {
        state.taken = !state.is_turn_of_spare() && state.returning.give_to_first();
        state.returns += u32::from(state.taken);
        if state.returning.is_empty() {
            self.dismiss(SLOT_WANTED);
        }
        if !state.taken {
            self.free.notify_one();
        }
    }

    /// For a task that begins a section: releases the slot, and sees to it that a thread is there to acquire it.
    fn leave(&self, start: impl FnOnce(usize) -> std::io::Result<()>) -> std::io::Result<()> {
        let mut state = self.state.lock();
        let turn = state.returns >= RETURNS;
        if state.spare == 0 && (turn || state.returning.is_empty()) {
            match start(state.started + 1) {
                Ok(()) => {
                    state.started += 1;
                    state.spare += 1;
                }
                // The next one tries again.
                Err(_) if !state.returning.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        self.pass_on(&mut state);
        Ok(())
    }

    /// For a task whose section ends: waits for the slot.
    fn come_back(&self, wake: impl FnOnce()) {
        let mut state = self.state.lock();
        if !state.taken && !state.is_turn_of_spare() {
            state.taken = true;
            state.returns += 1;
            return;
        }
        let mut me = Return { next: std::ptr::null_mut(), seated: false, changed: Condvar::new() };
        let me = &raw mut me;
        // SAFETY: it stays on this stack until it is seated, and then is out of the list.
        unsafe { state.returning.append(me) };
        self.signal(SLOT_WANTED);
        wake();
        loop {
            // SAFETY: read under the lock, as others write it; they use the condition by shared reference only.
            unsafe {
                if (*me).seated {
                    return;
                }
                (*me).changed.wait(&mut state);
            }
        }
    }

    /// Tells the spare threads that the engine stops.
    pub(super) fn announce_end(&self) {
        drop(self.state.lock());
        self.free.notify_all();
    }
}

/// Threads started for blocking sections.
#[derive(Default)]
pub(super) struct StandIns {
    pub(super) list: Vec<Thread>,
    /// The last one that has ended, or is about to.
    pub(super) retired: Option<Thread>,
}

/// A section that a task on this thread has begun.
#[derive(Clone, Copy)]
struct Section {
    worker: usize,
    /// What the worker was polling when the section began: the tile that began it is a part of that.
    polled: Mark,
    /// The cores that the task had, and gave up for the section.
    cores: u32,
}

thread_local! {
    static SECTION: Cell<Option<Section>> = const { Cell::new(None) };
}

/// True on a thread whose task is in a blocking section.
pub(super) fn is_in_section() -> bool {
    SECTION.get().is_some()
}

impl Call {
    /// The worker whose task makes the call, also from a blocking section of it.
    pub(crate) fn executor(&self) -> Option<usize> {
        self.worker().or_else(|| SECTION.get().map(|section| section.worker))
    }

    /// Refuses sections where there is no task that could have one; true when there is a worker to leave.
    fn may_have_sections(&self, function: &str) -> Result<bool, Error> {
        if !self.inside_task() {
            return Err(Error::state(format!("{function} is for tasks and tiles: no worker waits for this thread")));
        }
        if self.context.is_giving_back() {
            return Err(Error::state(format!("{function} is not for free callbacks: they belong to no task")));
        }
        if self.context.sealed.get() {
            return Err(Error::state(format!("{function} is not for a graph's predecessors function: it only counts")));
        }
        Ok(self.worker().is_some())
    }

    /// `dvm_blocking_begin`.
    pub(crate) fn blocking_begin(&self) -> Result<(), Error> {
        let Some(me) = self.may_have_sections("dvm_blocking_begin")?.then(|| self.worker()).flatten() else {
            return match SECTION.get() {
                Some(_) => Err(Error::state("this task is in a blocking section already: end that one first")),
                None => Ok(()), // a lone tile on a thread of the program, which keeps no worker
            };
        };
        memory::check()?;
        let engine = self.engine();
        let worker = &engine.workers[me];
        let task = self.context.with(|own| own.frame.task);
        engine.blocked_tasks.add(task, me, &worker.counts.0);
        worker.counts.0.note_idle();
        let section = Section { worker: me, polled: worker.polling.0.mark(), cores: engine.arbiter.held_by(me) };
        engine.arbiter.give_up(engine, me);
        self.context.with(|own| worker.slot.0.leave_behind(own, &worker.queue, || engine.holders.add(me)));
        let left = worker.slot.0.leave(|number| {
            let thread = super::lifecycle::without_signals(|| worker::start(Address(engine), me, number))?;
            engine.stand_ins.lock().list.push(thread);
            Ok(())
        });
        if let Err(error) = left {
            self.note_return(me);
            self.context.with(|own| worker.slot.0.receive(own));
            engine.arbiter.take(engine, me, section.cores);
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_MEMORY,
                format!(
                    "no thread with a stack of {} KiB could be started to stand in for worker {me} ({error}): the task keeps its \
                     worker; DVM_STACK, or ulimit -s, may ask for less",
                    engine.stack >> 10
                ),
            ));
        }
        SECTION.set(Some(section));
        self.context.employ(engine, None);
        self.context.depth.set(self.context.depth.get() + 1);
        Ok(())
    }

    /// `dvm_blocking_end`.
    pub(crate) fn blocking_end(&self) -> Result<(), Error> {
        let on_worker = self.may_have_sections("dvm_blocking_end")?;
        if SECTION.get().is_some() {
            self.return_to_seat();
            return Ok(());
        }
        if on_worker {
            return Err(Error::state("this task is in no blocking section: dvm_blocking_begin begins one"));
        }
        Ok(())
    }

    /// Ends the section that the task which has just ended here, in whatever way, has left open.
    #[inline]
    pub(super) fn end_section(&self) {
        if self.context.worker().is_none() && SECTION.get().is_some() {
            self.return_to_seat();
        }
    }

    #[cold]
    fn return_to_seat(&self) {
        let Some(section) = SECTION.take() else { return };
        let engine = self.engine();
        let worker = &engine.workers[section.worker];
        worker.slot.0.come_back(|| {
            worker.parker.0.wake();
        });
        self.context.with(|own| worker.slot.0.receive(own));
        worker.polling.0.set(section.polled);
        self.context.depth.set(self.context.depth.get() - 1);
        self.context.employ(engine, Some(section.worker));
        self.note_return(section.worker);
        engine.arbiter.take(engine, section.worker, section.cores);
    }
}

/// Asks the program something on this thread, which is to stay the worker that it is meanwhile.
#[inline]
pub(crate) fn sealed<R>(ask: impl FnOnce() -> R) -> R {
    let context = ThreadContext::current();
    context.sealed.set(true);
    let answer = ask();
    if super::forked::is_orphan() {
        super::forked::end_without_worker(0);
    }
    context.sealed.set(false);
    answer
}

impl Engine {
    /// The calling thread, which has stood in for a worker, ends: it is joined by the next one that does, or by the end of
    /// the engine, so that at most one thread keeps its stack after its end.
    pub(super) fn retire_stand_in(&self) {
        let before = {
            let mut all = self.stand_ins.lock();
            let Some(place) = all.list.iter().position(Thread::is_current) else { return };
            let mine = all.list.swap_remove(place);
            all.retired.replace(mine)
        };
        if let Some(before) = before {
            before.join();
        }
    }

    /// Ends the section that a tile which has just ended on this thread has left open.
    #[inline]
    pub(crate) fn end_section(&self) {
        let context = ThreadContext::current();
        if context.worker().is_none() {
            super::forked::end_without_worker(0);
            if SECTION.get().is_some() {
                Call { context, engine: self, outermost: false }.return_to_seat();
            }
        }
    }
}
