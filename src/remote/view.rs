//! What waits for other processes, for explanations. Nothing is sent for it: a process tells what it knows.

use std::time::Duration;

use super::near_data::PLAIN_TICKET;
use super::runs::{ArrivedTask, Use};
use super::state::{Brought, BytesPlace, PendingTask, Remote, Step, Want};
use crate::data::{DatumId, STORE};
use crate::engine::Goal;
use crate::engine::remote_view::{Lack, PeerView, Question, RemoteTaskView, RemoteView, TogetherCall, TogetherView};
use crate::id::ProcessId;
use crate::processing::Mode;
use crate::protocol::promises::OutputClaim;
use crate::protocol::shipping::CodeProgress;
use crate::transport::Peer;

/// The largest number of tasks that are described; others are counted.
const DESCRIBED: usize = 16;

/// Silence that is told: others say twice a second that they are alive.
const UNUSUAL_SILENCE: Duration = Duration::from_secs(2);

impl Step<'_> {
    /// What waits for other processes.
    pub(super) fn view(&self) -> RemoteView {
        let state = &self.state;
        let mut view = RemoteView { me: self.me(), processes: state.sent.len() as u64, ..RemoteView::default() };
        view.together = self.together();
        view.region.clone_from(&state.across.waits);
        self.view_tasks(&mut view);
        let threads = state.brought.iter().filter(|(_, brought)| **brought == Brought::Waits);
        let mut threads: Vec<u64> = threads.map(|(arrival, _)| *arrival).collect();
        threads.sort_unstable();
        let wanted = threads.iter().flat_map(|arrival| state.copies.inputs(*arrival));
        view.gets = wanted.filter_map(|id| Some((*id, self.lack(*id)?))).collect();
        for id in state.near.keys() {
            view.promises.extend(self.lack_of_near(*id).map(|lack| (*id, lack)));
        }
        view.slots = state.slots.iter().map(|(slot, id)| (*slot, *id)).collect();
        let arguments = state.runs.all_started().flat_map(|run| &run.arguments);
        view.slots.extend(arguments.filter_map(|argument| match argument.usage {
            Use::Private { slot } => Some((slot, argument.id)),
            _ => None,
        }));
        for id in &state.asked {
            let (asked, question) = match self.state.code.shipments.progress(*id) {
                None => (id.home(), Question::Processing(*id)),
                Some(CodeProgress::Coming { from, .. }) => (from, Question::Code(*id)),
                Some(CodeProgress::Loading) => continue,
            };
            *view.questions.entry((asked, question)).or_default() += 1;
        }
        for (id, far) in state.far.iter().filter(|(_, far)| far.holder.asks()) {
            let wants = far.wants.len().max(1) as u64;
            *view.questions.entry((id.home(), Question::Reference(*id))).or_default() += wants;
        }
        let others = (0..state.sent.len()).map(|at| ProcessId::from_index(at as u32)).filter(|at| *at != self.me());
        view.peers = others.filter_map(|other| Some((other, self.peer(other)?))).collect();
        view
    }

    /// The thread that waits with all processes.
    fn together(&self) -> Option<TogetherView> {
        let state = &self.state;
        let call = match state.waits?.goal {
            Goal::Quiet | Goal::Closed => TogetherCall::Finalize,
            Goal::Wait => TogetherCall::Wait,
            Goal::Serve => TogetherCall::Serve,
        };
        let root = ProcessId::FIRST;
        Some(TogetherView {
            call,
            idle: state.termination.is_idle(),
            unanswered: state.termination.unanswered(),
            root: (self.me() != root).then_some(root),
        })
    }

    fn view_tasks(&self, view: &mut RemoteView) {
        let state = &self.state;
        for (at, sent) in state.sent.iter().enumerate() {
            let to = ProcessId::from_index(at as u32);
            if to == self.me() || sent.running() == 0 {
                continue;
            }
            let kinds = view.sent.entry(to).or_default();
            for task in sent.running_tasks() {
                *kinds.entry(task.description).or_default() += 1;
            }
        }
        let mut pending: Vec<(&u64, &PendingTask)> = state.pending.iter().collect();
        pending.sort_unstable_by_key(|(number, _)| **number);
        for (number, task) in pending {
            view.waiting += 1;
            if view.tasks.len() < DESCRIBED {
                view.tasks.push(self.pending_task(*number, task));
            }
        }
        for (arrival, run) in state.runs.all_waiting() {
            let lacks = self.lacks(run);
            let code = self.lacks_code(arrival);
            let waits = !lacks.is_empty() || code.is_some();
            // One that lacks nothing begins or has just ended.
            view.waiting += u64::from(waits);
            if waits && view.tasks.len() < DESCRIBED {
                let mode = |usage: &Use| if usage.is_read() { Mode::In } else { Mode::Out };
                let arguments = run.arguments.iter().map(|argument| (mode(&argument.usage), argument.id)).collect();
                let described = run.signature.as_ref().map_or("", |signature| signature.description);
                let (code, description) = code.map_or((None, described.to_owned()), |(code, told)| (Some(code), told));
                view.tasks.push(RemoteTaskView { description, arguments, scheduler: run.from, lacks, code });
            }
        }
    }

    /// A task that is being scheduled here.
    fn pending_task(&self, number: u64, task: &PendingTask) -> RemoteTaskView {
        let asks = |id: &DatumId| {
            let far = self.state.far.get(id);
            far.is_some_and(|far| far.wants.iter().any(|want| matches!(want, Want::Task(of) if *of == number)))
        };
        let lacks = task.ids.iter().filter_map(|id| {
            let located = || self.state.locating.get(id).is_some_and(|tasks| tasks.contains(&number));
            let lack = if asks(id) { Lack::NoReference } else { Lack::NoPlace };
            (lack == Lack::NoReference || located()).then_some((*id, lack))
        });
        let arguments = task.ids.iter().enumerate().map(|(place, id)| (task.signature.mode(place), *id)).collect();
        RemoteTaskView {
            description: task.signature.description.clone(),
            arguments,
            scheduler: self.me(),
            lacks: lacks.collect(),
            code: None,
        }
    }

    /// What a task that has come lacks.
    fn lacks(&self, run: &ArrivedTask) -> Vec<(DatumId, Lack)> {
        let mut lacks: Vec<(DatumId, Lack)> = run.claims.iter().map(|id| (*id, Lack::Unclaimed)).collect();
        for argument in run.arguments.iter().filter(|argument| matches!(argument.usage, Use::Input { .. })) {
            if !lacks.iter().any(|(id, _)| *id == argument.id) {
                lacks.extend(self.lack(argument.id).map(|lack| (argument.id, lack)));
            }
        }
        lacks
    }

    /// Why a datum cannot be used here; `None` if it can.
    fn lack(&self, id: DatumId) -> Option<Lack> {
        if id.is_here() {
            let pending = STORE.marked(id).is_some_and(|found| found.outcome.is_none());
            return pending.then(|| self.lack_of_near(id).unwrap_or(Lack::Own));
        }
        let copies = &self.state.copies;
        if copies.is_present(id) {
            return None;
        }
        if let Some((from, ticket, bytes)) = copies.comes_from(id) {
            return Some(self.fetched(from, ticket, bytes));
        }
        let output = self.state.far.get(&id).and_then(|far| far.output.as_ref());
        Some(match copies.place(id) {
            Some(at) => Lack::NoRoom(at),
            None if output.is_some_and(|output| !OutputClaim::is_settled(output)) => Lack::ProducedHere,
            None => Lack::Promised,
        })
    }

    /// Where a promise of this process comes to something, if that is elsewhere.
    fn lack_of_near(&self, id: DatumId) -> Option<Lack> {
        let near = self.state.near.get(&id)?;
        match (near.place, near.ticket) {
            (BytesPlace::Away(from), Some(ticket)) => Some(self.fetched(from, ticket, near.size)),
            (BytesPlace::Away(at), None) => Some(Lack::LiesIn(at)),
            (BytesPlace::Nowhere, _) => {
                near.promise.runner().filter(|runner| *runner != self.me()).map(Lack::ProducedBy)
            }
            _ => None,
        }
    }

    fn fetched(&self, from: ProcessId, ticket: u32, bytes: u64) -> Lack {
        let under = |ticket: u32| self.remote.transport.come(Peer::new(from.index() as u32), u64::from(ticket));
        let come = under(ticket).or_else(|| under(ticket | PLAIN_TICKET));
        Lack::Fetched { from, bytes, come }
    }

    /// What is wrong with a process; `None` if nothing is.
    fn peer(&self, process: ProcessId) -> Option<PeerView> {
        let state = &self.state;
        let lost = !state.membership.is_alive(process);
        let silence = self.remote.transport.silence(Peer::new(process.index() as u32));
        let view = PeerView {
            lost,
            suspected: state.suspects.get(&process).cloned(),
            silent: Some(silence).filter(|silence| !lost && *silence >= UNUSUAL_SILENCE),
            unsent: state.outboxes.get(super::state::index(process)).map_or(0, super::outbox::Outbox::waiting),
        };
        let told = lost || view.suspected.is_some() || view.silent.is_some() || view.unsent > 0;
        told.then_some(view)
    }
}

impl Remote {
    /// Whether a thread waits, with all processes, for the end of tasks.
    pub(super) fn is_awaited(&self) -> bool {
        let state = self.state.lock();
        let waits = state.waits.is_some_and(|wait| wait.goal == Goal::Wait) || state.across.waits.is_some();
        state.closing || waits
    }
}
