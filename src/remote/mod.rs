//! Tasks and data over processes: the protocol's machines, between the engine and the transport.
//!
//! - `state`: what a process keeps, and a step of it; `outbox`: messages on their way out
//! - `scheduling`: from a call to a message; `arriving`: from a message to a task; `running`: from there to its end
//! - `runs`: the tasks between the two
//! - `near_data`: data of this process that others use; `far_data`: data of others, their bytes and references
//! - `bytes`: fetches and bulk; `inbox`: one function per message; `functions`: processings of other processes; `code`:
//!   their code, where it is sent; `code_loader`: the thread that reads, checks and loads it
//! - `losses`: what a lost process leaves; `recovering`: what of it runs again; `ending`: waits and their verdict
//! - `rounds`: redistributions over processes; `across`: regions on all processes
//! - `progress`: who polls; `join`: the start
//! - `view`: what waits, for explanations; `records`: the timeline and the table of all processes, of what
//!   is `recorded`
//!
//! One lock holds all of it (`Remote::step`). No callback of the program runs under it, and the engine calls in from
//! where it holds no lock.

mod across;
mod across_inbox;
mod arriving;
mod bytes;
mod code;
mod code_loader;
mod ending;
mod far_data;
mod functions;
mod inbox;
mod join;
mod losses;
mod near_data;
mod outbox;
mod progress;
mod recorded;
mod records;
mod recovering;
mod rounds;
mod running;
mod runs;
mod scheduling;
mod state;
mod view;

use self::progress::EAGER;
use crate::data::{DatumId, STORE, share_memory};
use crate::engine::remote_view::RemoteView;
use crate::engine::{Call, Goal, RemoteAcross, RemoteRounds, RemoteScheduler, SharedEnd, Target, enter};
use crate::error::Error;
use crate::id::ProcessingId;
use crate::processing::{Found, Signature};
use crate::transport::Wake;

pub(crate) use join::{init, init_comm, init_program};

use state::{BURST, Remote, TOGETHER};

/// A call into the engine that called.
fn inside() -> Call {
    enter().expect("the engine calls from inside")
}

impl RemoteScheduler for Remote {
    fn schedule(
        &self,
        target: Target,
        function: (ProcessingId, &'static Signature),
        ids: &[DatumId],
    ) -> Result<(), Error> {
        self.step_soon(&inside(), BURST, |step| step.schedule(target, function, ids))
    }

    fn worker_sleeps(&self) {
        self.stop_polling(&self.polls.by_workers);
    }

    fn told(&self, local: DatumId) {
        self.step_soon(&inside(), BURST, |step| step.told(local));
    }

    fn awaited(&self, ids: &[DatumId]) {
        self.step(&inside(), |step| ids.iter().filter(|id| id.is_here()).for_each(|id| step.awaited(*id)));
    }

    fn arguments(&self, number: u32, ids: &mut [DatumId]) {
        let state = self.state.lock();
        let arguments = state.runs.started(number).into_iter().flat_map(|run| &run.arguments);
        ids.iter_mut().zip(arguments).for_each(|(id, argument)| *id = argument.id);
    }

    fn ended(&self, number: u32, end: SharedEnd) {
        self.step_soon(&inside(), TOGETHER, |step| step.ended(number, &end));
    }

    fn acquire(&self, id: DatumId) -> Result<(), Error> {
        self.step(&inside(), |step| step.acquire(id))
    }

    fn relax(&self, id: DatumId) -> Result<(), Error> {
        self.step(&inside(), |step| step.relax(id))
    }

    fn carry_on(&self, current: DatumId, next: DatumId) -> Result<(), Error> {
        self.step(&inside(), |step| step.carry_on(current, next))
    }

    fn bring(&self, id: DatumId) -> Result<DatumId, Error> {
        self.bring_bytes(&inside(), id)
    }

    fn got(&self, id: DatumId) {
        self.step(&inside(), |step| step.got(id));
    }

    fn begin_wait(&self, id: DatumId) {
        self.step(&inside(), |step| step.begin_wait(id));
    }

    fn end_wait(&self, id: DatumId) {
        self.step(&inside(), |step| step.end_wait(id));
    }

    fn drive_to_value(&self, id: DatumId) {
        if self.transport.wake() != Wake::Doorbell {
            self.wait_until(&inside(), EAGER, |_| (!STORE.may_come(id)).then_some(()));
        }
    }

    fn slot(&self, id: DatumId) -> Option<DatumId> {
        self.state.lock().far.get(&id)?.slot
    }

    fn find(&self, function: ProcessingId) -> Result<Found, Error> {
        self.find_function(&inside(), function)
    }

    fn unregistered(&self, function: ProcessingId) {
        self.step(&inside(), |step| step.unregister(function));
    }

    fn load(&self, process: u32) -> u64 {
        let state = self.state.lock();
        state.sent.get(process as usize).map_or(0, |sent| sent.running() as u64)
    }

    fn view(&self) -> RemoteView {
        self.change(&inside(), |step| step.view())
    }

    fn is_awaited(&self) -> bool {
        Remote::is_awaited(self)
    }

    fn arrow(&self, number: u32) -> Option<(u64, u64)> {
        let state = self.state.lock();
        let run = state.runs.started(number).filter(|run| run.from != self.me)?;
        Some((records::task_arrow(run.from, self.me, run.sequence), run.from.index()))
    }

    fn collect(&self) {
        self.collect_records(&inside());
    }

    fn wait(&self, goal: Goal) -> Result<(), Error> {
        self.wait_for(&inside(), goal)
    }

    fn rounds(&self) -> &dyn RemoteRounds {
        self
    }

    fn across(&self) -> &dyn RemoteAcross {
        self
    }

    fn close(&self) {
        share_memory(None);
        self.end_code();
        self.end_progress();
    }

    fn give_up_waiting(&self) {
        self.step(&inside(), |step| {
            step.give_up_waiting();
        });
    }
}
