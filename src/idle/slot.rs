//! The worker slot: the right to be a worker, which one thread holds at a time.
//!
//! Each worker has one *slot*. The thread that holds the slot is the worker: it takes the worker's tasks, polls,
//! steals, and sleeps on its parker. Each slot begins with one thread. A task that begins a blocking section releases
//! the slot, and a spare thread, else a new one, acquires it. A task whose section ends waits for the slot; its holder
//! releases it after the current task and becomes a spare thread. So exactly one thread is the worker at any time, its
//! structures have one owner, and no more tasks run at once than there are workers.
//!
//! Tasks whose sections end again and again would pass the slot to each other for ever. So once per [`RETURNS`] ends a
//! spare thread acquires the slot first, to run one task or to poll.
//!
//! There is no circular wait: a thread in a section holds nothing (not even cores, `arbiter.rs`), and a thread that
//! waits for the slot waits for a running task. The slot is passed on in the order in which the sections ended.

use std::cell::Cell;
use std::ptr;
use std::time::Duration;

use super::planted::planted;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::fence;
use crate::sync::modelled::{Condvar, Mutex, Owned};

/// The number of sections that may end on a slot before a ready task goes first. The header states this number.
const RETURNS: u32 = if cfg!(loom) { 1 } else { 64 };

/// A thread wants the slot.
const SLOT_WANTED: u32 = 1;

/// A task wants the worker to stand still (`arbiter.rs`).
pub(crate) const STILL_WANTED: u32 = 2;

/// The right to be a worker, and what stays with it when it changes hands.
pub(crate) struct WorkerSlot<L> {
    /// Signals that the worker checks before its next task; 0 almost always.
    signals: AtomicU32,
    state: Mutex<State>,
    /// Spare threads wait here. A returning thread waits on a condition of its own: each change wakes one thread.
    free: Condvar,
    /// Lent to the holder of the slot.
    left: Owned<L>,
}

struct State {
    taken: bool,
    /// Threads that wait for the slot with a task, in the order in which the sections ended.
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

/// A thread whose section has ended. The value is on that thread's stack until the thread has the slot.
struct Return {
    next: Member,
    holds_slot: Cell<bool>,
    changed: Condvar,
}

/// A thread of a list, or none.
struct Member(Cell<*const Return>);

impl Member {
    const fn nobody() -> Member {
        Member(Cell::new(ptr::null()))
    }

    /// The thread, while its list, which is `list`, is held.
    fn of<'a>(&self, _list: &'a Returning) -> Option<&'a Return> {
        // SAFETY: a thread in the list stays until it has been taken out and has the lock.
        unsafe { self.0.get().as_ref() }
    }

    fn set(&self, thread: Option<&Return>) {
        self.0.set(thread.map_or(ptr::null(), ptr::from_ref));
    }
}

/// A list of such threads, which allocates nothing. The last one counts while there is a first.
struct Returning {
    first: Member,
    last: Member,
}

// SAFETY: a list and its threads are accessed under the lock of its slot only, and a thread in it stays until it has been
// taken out.
unsafe impl Send for Returning {}

impl Returning {
    fn is_empty(&self) -> bool {
        self.first.of(self).is_none()
    }

    /// # Safety
    /// The value stays where it is until it has been taken out, and is in no list.
    unsafe fn append(&mut self, new: &Return) {
        let before = if self.is_empty() { None } else { self.last.of(self) };
        before.map_or(&self.first, |last| &last.next).set(Some(new));
        self.last.set(Some(new));
    }

    /// Gives the slot to the first thread of the list, if there is one.
    fn give_to_first(&mut self) -> bool {
        let Some(first) = self.first.of(self) else { return false };
        self.first.set(first.next.of(self));
        first.holds_slot.set(true);
        first.changed.notify_one();
        true
    }
}

impl<L> WorkerSlot<L> {
    /// A free slot; a thread is about to be started for it.
    pub(crate) fn new(left: L) -> WorkerSlot<L> {
        let returning = Returning { first: Member::nobody(), last: Member::nobody() };
        let state = State { taken: false, returning, spare: 1, started: 0, returns: 0 };
        WorkerSlot {
            signals: AtomicU32::new(0),
            state: Mutex::new(state),
            free: Condvar::new(),
            left: Owned::new(left),
        }
    }

    /// True if a signal is set.
    #[inline]
    pub(crate) fn signalled(&self) -> bool {
        self.signals.load(Ordering::Relaxed) != 0
    }

    /// Sets a signal. The caller then wakes the worker.
    pub(crate) fn signal(&self, what: u32) {
        self.signals.fetch_or(what, Ordering::SeqCst);
        if !planted("signal_without_fence") {
            fence::full();
        }
    }

    /// Whether this signal is set.
    pub(crate) fn asked(&self, what: u32) -> bool {
        self.signals.load(Ordering::SeqCst) & what != 0
    }

    /// Clears a signal.
    pub(crate) fn dismiss(&self, what: u32) {
        self.signals.fetch_and(!what, Ordering::SeqCst);
    }

    /// True if the worker has to release the slot before its next task.
    pub(crate) fn is_wanted(&self) -> bool {
        self.asked(SLOT_WANTED)
    }

    /// Lends the holder what stays with the slot.
    ///
    /// # Safety
    /// The calling thread holds the slot, and `body` does not call this function.
    #[inline]
    pub(crate) unsafe fn with_left<R>(&self, body: impl FnOnce(&mut L) -> R) -> R {
        // SAFETY: by this function's contract, one thread holds the slot, which changes hands under a lock.
        unsafe { self.left.with(body) }
    }

    /// For a spare thread: waits until the slot is free. `None` if the engine is `stopping`, or if no section needed
    /// the thread within `timeout`; else whether the thread has to run one task even if another thread wants the slot.
    pub(crate) fn acquire(&self, timeout: Duration, stopping: impl Fn() -> bool) -> Option<bool> {
        let mut state = self.state.lock();
        loop {
            if stopping() {
                return None;
            }
            if !state.taken {
                break;
            }
            let idle = self.free.wait_for(&mut state, timeout).timed_out();
            // A spare thread that ends acquires no slot: the next section starts another thread.
            if idle && state.taken && !stopping() {
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

    /// Releases the slot between two tasks. The caller is a spare thread from now on.
    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        state.spare += 1;
        self.pass_on(&mut state);
    }

    /// After a release: gives the slot to the first returning thread; to a spare thread if there is none, or if it is
    /// its turn.
    fn pass_on(&self, state: &mut State) {
        state.taken = !state.is_turn_of_spare() && state.returning.give_to_first() && !planted("slot_given_twice");
        state.returns += u32::from(state.taken);
        if state.returning.is_empty() {
            self.dismiss(SLOT_WANTED);
        }
        if !state.taken && !planted("release_in_silence") {
            self.free.notify_one();
        }
    }

    /// For a task that begins a section: releases the slot, and ensures that a thread is there to acquire it.
    pub(crate) fn leave(&self, start: impl FnOnce(usize) -> std::io::Result<()>) -> std::io::Result<()> {
        let mut state = self.state.lock();
        let turn = state.returns >= RETURNS;
        if state.spare == 0 && (turn || state.returning.is_empty()) {
            match start(state.started + 1) {
                Ok(()) => {
                    state.started += 1;
                    state.spare += 1;
                }
                // The next section tries again.
                Err(_) if !state.returning.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        self.pass_on(&mut state);
        Ok(())
    }

    /// For a task whose section ends: waits for the slot.
    pub(crate) fn come_back(&self, wake: impl FnOnce()) {
        let mut state = self.state.lock();
        if !state.taken && !state.is_turn_of_spare() {
            state.taken = true;
            state.returns += 1;
            return;
        }
        let me = Return { next: Member::nobody(), holds_slot: Cell::new(false), changed: Condvar::new() };
        // SAFETY: the value stays on this stack until the thread holds the slot, and is out of the list then.
        unsafe { state.returning.append(&me) };
        if !planted("come_back_in_silence") {
            self.signal(SLOT_WANTED);
        }
        wake();
        while !me.holds_slot.get() {
            me.changed.wait(&mut state);
        }
    }

    /// Notifies the spare threads that the engine stops.
    pub(crate) fn announce_end(&self) {
        if !planted("end_without_lock") {
            drop(self.state.lock());
        }
        if !planted("end_in_silence") {
            self.free.notify_all();
        }
    }
}
