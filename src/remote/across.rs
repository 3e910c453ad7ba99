//! Messages of calls of regions that run on all processes: kept until the call takes them.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::losses::out_of_the_job;
use super::progress::{NAP, NAP_BESIDE_MPI};
use super::state::{Handled, Remote, State, Step};
use crate::engine::remote_view::RegionView;
use crate::engine::{AcrossEvent, Call, RemoteAcross, Worked, enter};
use crate::id::ProcessId;
use crate::protocol::Breach;
use crate::transport::Wake;
use crate::wire::{AcrossBody, AcrossMessage, Edge, Message, read_across_message};

/// How long a thread polls in a call, and one that serves between two calls: a program's next step comes soon.
const EAGER_IN_CALL: Duration = Duration::from_millis(1);

/// A call into the engine that called.
fn inside() -> Call {
    enter().expect("the engine calls from inside")
}

impl Step<'_> {
    /// A message about a region has come.
    pub(super) fn across_message(&mut self, from: ProcessId, edge: &Edge<'_>) -> Handled {
        let unread = |_| Breach::new(from, "it sends a message about a region that cannot be read");
        let AcrossMessage { call, body } = read_across_message(edge).map_err(unread)?;
        self.state.across.came.push_back((from, AcrossMessage { call, body: body.owned() }));
        self.across_came();
        Ok(())
    }

    /// A process is lost.
    pub(super) fn across_partner_lost(&mut self, lost: ProcessId) {
        self.state.across.lost.insert(lost);
        self.across_came();
    }

    /// Threads that wait, and workers that sleep, look for it.
    fn across_came(&mut self) {
        self.remote.across_came.store(true, Ordering::Release);
        self.wake();
        if self.remote.across_workers.load(Ordering::Acquire) {
            self.call.engine().wake_all();
        }
    }
}

/// What has come for the call, which processes are lost, and whether this one is still in its job.
fn taken(state: &mut State, call: u32) -> Vec<AcrossEvent> {
    let events = state.across.take(call);
    with_end(state, events)
}

fn with_end(state: &State, mut events: Vec<AcrossEvent>) -> Vec<AcrossEvent> {
    if state.membership.ended() {
        events.push(AcrossEvent::Lost(out_of_the_job()));
    }
    events
}

impl RemoteAcross for Remote {
    fn next_call(&self) -> u32 {
        let across = &mut self.state.lock().across;
        across.calls += 1;
        across.calls
    }

    fn tell(&self, call: u32, to: ProcessId, body: AcrossBody<&[u8]>) {
        let mut buffer = Vec::new();
        let message = AcrossMessage { call, body };
        let edge = message.edge(&mut buffer);
        self.step(&inside(), |step| step.send(to, &Message::Edge(edge)));
    }

    fn has_come(&self) -> bool {
        self.across_came.load(Ordering::Acquire)
    }

    fn take(&self, call: u32) -> Vec<AcrossEvent> {
        // What comes from here on sets the mark again.
        self.across_came.store(false, Ordering::SeqCst);
        taken(&mut self.state.lock(), call)
    }

    fn goes_by_mpi(&self) -> bool {
        self.transport.wake() != Wake::Doorbell
    }

    fn awaits(&self, what: Option<RegionView>) {
        self.state.lock().across.waits = what;
    }

    fn has_workers(&self, whether: bool) {
        self.across_workers.store(whether, Ordering::Release);
    }

    fn work(&self, work: &mut dyn FnMut() -> Worked) {
        let call = inside();
        let drives = self.transport.wake() != Wake::Doorbell;
        let mut eager = Instant::now() + EAGER_IN_CALL;
        loop {
            // What comes from here on changes it.
            let version = self.state.lock().version;
            match work() {
                Worked::Over => return,
                Worked::Some => eager = Instant::now() + EAGER_IN_CALL,
                Worked::Nothing if self.poll_for_others(&call) => eager = Instant::now() + EAGER_IN_CALL,
                Worked::Nothing if Instant::now() < eager => std::thread::yield_now(),
                Worked::Nothing => self.sleep(version, if drives { NAP_BESIDE_MPI } else { NAP }),
            }
        }
    }

    fn wake(&self) {
        self.step(&inside(), |step| {
            step.wake();
        });
    }

    fn wait_and_take(&self, call: u32) -> Vec<AcrossEvent> {
        self.wait_until(&inside(), EAGER_IN_CALL, |step| {
            Some(taken(step.state, call)).filter(|events| !events.is_empty())
        })
    }

    fn serve_and_take(&self, call: u32) -> Vec<AcrossEvent> {
        self.serve_until(&inside(), EAGER_IN_CALL, &mut |step| step.state.across.has(call));
        self.across_came.store(false, Ordering::SeqCst);
        let state = &mut self.state.lock();
        let events = state.across.said(call);
        with_end(state, events)
    }
}
