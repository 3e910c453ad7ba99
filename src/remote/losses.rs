//! What a lost process leaves: its tasks, its references, what it was to produce, and its data.

use std::collections::BTreeMap;

use super::runs::{Runs, Use};
use super::state::{Brought, BytesPlace, Handled, Step, index};
use crate::data::{DatumId, STORE};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::protocol::copies::Arrival;
use crate::protocol::loans::Held;
use crate::protocol::membership::{MembershipAction, MembershipEvent};
use crate::transport::Peer;
use crate::wire::Message;

/// How a loss was found out: the number in the message.
const FOUND_OUT: u32 = 1;

/// The error of every call of a process that is out of its job.
pub(super) fn out_of_the_job() -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_PEER_LOST,
        "process 0 is lost, or has declared this process lost: the job has ended",
    )
}

impl Step<'_> {
    /// A process is gone, as this one has found out.
    pub(super) fn gone(&mut self, process: ProcessId, why: &str) {
        if !self.state.membership.is_alive(process) {
            return;
        }
        self.call.note(|| format!("process {process} is gone: {why}"));
        if self.state.suspects.insert(process, why.to_owned()).is_some() {
            return; // process 0 knows, and will declare it
        }
        let handled = self.member(MembershipEvent::Gone(process));
        self.own(handled);
    }

    /// Takes an event of membership in.
    pub(super) fn member(&mut self, event: MembershipEvent) -> Handled {
        let mut actions = Vec::new();
        self.state.membership.step(event, &mut actions)?;
        for action in actions {
            match action {
                MembershipAction::Tell(to, process) => self.send(to, &Message::Lost { process, cause: FOUND_OUT }),
                MembershipAction::Ack(to, process) => self.send(to, &Message::Ack { process }),
                MembershipAction::Apply(lost) => self.apply(lost),
                MembershipAction::Settle(lost) => self.settle_loss(lost),
                MembershipAction::Thaw => {}
                MembershipAction::Ended => self.out(),
            }
        }
        if !self.state.membership.frozen() {
            let near: Vec<DatumId> = self.state.near.keys().copied().collect();
            for id in near {
                self.try_free(id);
            }
        }
        self.wake();
        Ok(())
    }

    /// This process is out of the job: nobody waits any longer for what others were to do.
    fn out(&mut self) {
        self.state.lost.get_or_insert_with(|| out_of_the_job().message().to_owned());
        // Others may still read what is freed here.
        self.remote.transport.keep_for_peers();
        let others: Vec<ProcessId> = self.state.membership.lost().iter().collect();
        for other in &others {
            self.apply(*other);
        }
        for other in &others {
            self.settle_loss(*other);
        }
        // Requests and transfers end with nobody to answer them.
        self.state.requests.clear();
        self.state.transfers.clear();
        self.state.brought.values_mut().for_each(|brought| *brought = Brought::Never);
    }

    /// Takes over the lost process's tasks, and asks for the loans that they need.
    fn apply(&mut self, lost: ProcessId) {
        let mut tasks: BTreeMap<DatumId, u32> = BTreeMap::new();
        for run in self.state.runs.all_mut().filter(|run| run.from == lost && !run.adopted) {
            run.adopted = true;
            for argument in run.arguments.iter().filter(|argument| matches!(argument.usage, Use::Input { .. })) {
                *tasks.entry(argument.id).or_default() += 1;
            }
        }
        self.state.received[index(lost)].lost();
        let tasks_on = |id: &DatumId| tasks.get(id).copied().unwrap_or(0);
        for near in self.state.near.values_mut() {
            // The tasks on it have pinned the datum here.
            near.loans.lost(&mut Held::default(), lost, 0);
        }
        let held: Vec<DatumId> = self.state.far.keys().copied().collect();
        for id in held {
            let mut actions = Vec::new();
            let far = self.far(id);
            far.holder.adopt(&mut far.held, lost, tasks_on(&id), &mut actions);
            self.holder_actions(id, actions);
        }
    }

    /// Gives up what the lost process had.
    fn settle_loss(&mut self, lost: ProcessId) {
        let why = self.state.suspects.remove(&lost).unwrap_or_else(|| "process 0 has declared it lost".into());
        if !self.recovers() {
            self.state
                .lost
                .get_or_insert_with(|| format!("process {lost} is lost ({why}): what only it had is poisoned"));
        }
        self.give_up_sent(lost);
        let held: Vec<DatumId> = self.state.far.keys().copied().collect();
        for id in held {
            let mut actions = Vec::new();
            let far = self.far(id);
            if id.home() == lost {
                far.holder.home_lost(&mut actions);
                self.not_recovered(|| format!("datum {id} had its home there"));
            } else {
                far.holder.adopted(far.held, &mut actions);
            }
            self.holder_actions(id, actions);
            self.tidy(id);
        }
        self.give_up_unclaimed();
        let (never, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.state.early).into_iter().partition(|early| early.scheduler == lost);
        self.state.early = others;
        for early in never {
            self.poison_output(early.id);
        }
        let mut waiting: Vec<Arrival> = self.state.runs.all_waiting().map(|(arrival, _)| arrival).collect();
        waiting.sort_unstable();
        for arrival in waiting {
            self.refuse_lost_claims(arrival);
        }
        self.give_up_promises(lost);
        self.round_partner_lost(lost);
        self.across_partner_lost(lost);
        self.copies(|copies, actions| copies.lost(lost, actions));
        self.stop_locating();
        self.state.announcements.lost(lost);
        self.code_lost(lost);
        // Its process may live on: what it was to send or to take would be waited for.
        self.remote.transport.cut(Peer::new(lost.index() as u32));
        self.state.outboxes[index(lost)].clear();
        self.state.long[index(lost)] = Vec::new();
        if self.state.membership.ended() {
            return; // waits do not look for an end any more
        }
        let again = self.judge_loss(lost, &why);
        let mut actions = Vec::new();
        self.state.termination.lost(lost, &mut actions);
        self.termination_actions(actions);
        self.send_again(again);
    }

    /// Tasks that were sent to the lost process, and have not ended, fail.
    fn give_up_sent(&mut self, lost: ProcessId) {
        let sent: Vec<_> = self.state.sent[index(lost)].lost().collect();
        let sent = self.keep_to_send_again(lost, sent);
        for (task, ended) in sent {
            if !ended {
                let name = task.description;
                self.call.count_failure(|| format!("processing '{name}' was lost with process {lost}"));
                self.call.count_ended_elsewhere();
            }
            task.inputs.into_iter().for_each(|id| self.release(id));
        }
    }

    /// Tasks of the lost process of which nobody knows whether their claims were made do not run.
    fn give_up_unclaimed(&mut self) {
        let unclaimed = |runs: &Runs| {
            let found = runs.all_waiting().find(|(_, run)| run.adopted && !run.claims.is_empty());
            found.map(|(arrival, _)| arrival)
        };
        while let Some(arrival) = unclaimed(&self.state.runs) {
            self.copies(|copies, actions| copies.withdraw(arrival, actions));
            self.cancel(arrival);
        }
    }

    /// What the lost process was to produce, or kept the only bytes of, is poisoned.
    fn give_up_promises(&mut self, lost: ProcessId) {
        for far in self.state.far.values_mut() {
            if let Some(output) = &mut far.output {
                output.lost(lost);
            }
        }
        let near: Vec<DatumId> = self.state.near.keys().copied().collect();
        for id in near {
            if self.reopen(id) {
                continue;
            }
            let Some(near) = self.state.near.get_mut(&id) else { continue };
            let mut told = near.promise.lost(lost);
            // What was brought home is not lost.
            let here = STORE.marked(id).is_some_and(|found| found.outcome.is_some());
            if near.place == BytesPlace::Away(lost) {
                told.get_or_insert_default();
            }
            if near.producer == Some(lost) {
                near.producer = None;
            }
            let Some(told) = told else { continue };
            if let Some(ticket) = near.ticket.take() {
                self.state.requests.remove(&ticket);
            }
            if here {
                near.place = BytesPlace::Here;
                continue;
            }
            near.place = BytesPlace::Poisoned;
            self.not_recovered(|| format!("datum {id} was made there by a task that this process had not sent"));
            let Some(near) = self.state.near.get_mut(&id) else { continue };
            near.failure = Some((dvm_retcode_t::DVM_ERR_PEER_LOST, format!("datum {id} was lost with process {lost}")));
            self.tell_all(id, &told);
            self.arrived(id, None);
            self.try_free(id);
        }
    }
}
