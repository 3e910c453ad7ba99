//! Tasks and data over processes: the protocol's machines, between the engine and the transport.
//!
//! - `state`: what a process keeps, and a step of it; `outbox`: messages on their way out
//! - `scheduling`: from a call to a message; `arriving`: from a message to a task; `running`: from there to its end
//! - `near_data`: data of this process that others use; `far_data`: data of others, their bytes and references
//! - `bytes`: fetches and bulk; `inbox`: one function per message; `functions`: processings of other processes
//! - `losses`: what a lost process leaves; `ending`: waits and their verdict
//! - `progress`: who polls; `join`: the start
//!
//! One lock holds all of it (`Remote::step`). No callback of the program runs under it, and the engine calls in from
//! where it holds no lock.

mod arriving;
mod bytes;
mod ending;
mod far_data;
mod functions;
mod inbox;
mod join;
mod losses;
mod near_data;
mod outbox;
mod progress;
mod running;
mod scheduling;
mod state;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::data::{DatumId, STORE};
use crate::engine::{Call, Goal, RemoteScheduler, SharedEnd, Target};
use crate::error::Error;
use crate::id::{ProcessId, ProcessingId};
use crate::processing::{Found, Signature};
use crate::sync::lock::{Condvar, Mutex};
use crate::sync::thread::Thread;
use crate::transport::{Transport, Wake};

pub(crate) use join::{init, init_comm};

use progress::Polls;
use state::{State, Step};

/// One process's part of a job.
pub(crate) struct Remote {
    me: ProcessId,
    transport: Arc<dyn Transport>,
    state: Mutex<State>,
    /// Signalled with each change that a thread may wait for.
    changed: Condvar,
    polls: Polls,
    stopping: AtomicBool,
    progress: Mutex<Option<Thread>>,
    start: Instant,
    /// How long a process may be silent.
    patience: Duration,
}

impl Remote {
    /// Changes the state; what is to be sent is sent after it. Memory of freed data is given back, which may call the
    /// program.
    fn step<R>(&self, call: &Call, change: impl FnOnce(&mut Step<'_>) -> R) -> R {
        let result = self.change(call, change);
        call.give_back();
        result
    }

    /// The same without giving memory back.
    fn change<R>(&self, call: &Call, change: impl FnOnce(&mut Step<'_>) -> R) -> R {
        let mut state = self.state.lock();
        let mut step = Step { remote: self, state: &mut state, call };
        let result = change(&mut step);
        step.dispatch_located();
        step.flush();
        let wake = std::mem::take(&mut step.state.wake);
        drop(state);
        if wake {
            self.changed.notify_all();
            call.notice();
        }
        result
    }
}

impl RemoteScheduler for Remote {
    fn schedule(
        &self,
        call: &Call,
        target: Target,
        function: (ProcessingId, &'static Signature),
        ids: &[DatumId],
    ) -> Result<(), Error> {
        self.step(call, |step| step.schedule(target, function, ids))
    }

    fn told(&self, call: &Call, local: DatumId) {
        self.step(call, |step| step.told(local));
    }

    fn awaited(&self, call: &Call, ids: &[DatumId]) {
        self.step(call, |step| ids.iter().filter(|id| id.is_here()).for_each(|id| step.awaited(*id)));
    }

    fn arguments(&self, task: usize) -> Vec<DatumId> {
        self.state.lock().arguments(task)
    }

    fn ending(&self, task: usize) -> u64 {
        self.state.lock().tasks.remove(&task).unwrap_or(0)
    }

    fn ended(&self, call: &Call, number: u64, end: SharedEnd) {
        self.step(call, |step| step.ended(number, &end));
    }

    fn acquire(&self, call: &Call, id: DatumId) -> Result<(), Error> {
        self.step(call, |step| step.acquire(id))
    }

    fn relax(&self, call: &Call, id: DatumId) -> Result<(), Error> {
        self.step(call, |step| step.relax(id))
    }

    fn carry_on(&self, call: &Call, current: DatumId, next: DatumId) -> Result<(), Error> {
        self.step(call, |step| step.carry_on(current, next))
    }

    fn bring(&self, call: &Call, id: DatumId) -> Result<DatumId, Error> {
        self.bring_bytes(call, id)
    }

    fn drive_to_value(&self, call: &Call, id: DatumId) {
        if self.transport.wake() != Wake::Doorbell {
            self.wait_until(call, |_| (!STORE.may_come(id)).then_some(()));
        }
    }

    fn slot(&self, id: DatumId) -> Option<DatumId> {
        self.state.lock().far.get(&id)?.slot
    }

    fn find(&self, call: &Call, function: ProcessingId) -> Result<Found, Error> {
        self.find_function(call, function)
    }

    fn unregistered(&self, call: &Call, function: ProcessingId) {
        self.step(call, |step| step.unregister(function));
    }

    fn load(&self, process: u32) -> u64 {
        let state = self.state.lock();
        state.sent.get(process as usize).map_or(0, |sent| sent.running() as u64)
    }

    fn wait(&self, call: &Call, goal: Goal) -> Result<(), Error> {
        self.wait_for(call, goal)
    }

    fn close(&self) {
        self.end_progress();
    }
}
