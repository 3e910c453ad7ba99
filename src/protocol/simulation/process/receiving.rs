//! What comes in, one function per message.

use super::super::program::{PreparedProgram, datum, id, process, size};
use crate::id::{DatumId, ProcessId};
use crate::protocol::loans::{HolderEvent, LoanHome};
use crate::protocol::membership::{MembershipEvent, Reception};
use crate::protocol::promises::Subscription;
use crate::protocol::tasks::TaskEnd;
use crate::protocol::termination::{Counts, TerminationEvent};
use crate::wire::{
    BatchHead, Bytes, ClaimMessage, DatumAt, Done, EndState, Here, LoanMessage, Message, Payload, Value,
};

use super::{Fate, Heard, NOTHING, Place, SimulatedProcess, Wrong, broken, counted, index};

impl SimulatedProcess {
    /// Somebody needs a promise whose home or producer is here.
    pub(super) fn subscribe(&mut self, p: &PreparedProgram, at: usize, needer: ProcessId) -> Result<(), Wrong> {
        let me = process(self.me);
        let Some(local) = self.locals.get_mut(&at) else {
            let Some(output) = self.outputs.get_mut(&at) else {
                return Err(format!("process {needer} is passed on to {me}, which does not produce datum {at}"));
            };
            if output.subscribe(needer) {
                let value = self.own.get(&at).cloned();
                return self.tell(p, needer, at, me, value.as_deref());
            }
            return Ok(());
        };
        match local.promise.subscribe(me, needer) {
            Subscription::Kept => Ok(()),
            Subscription::PassOn(runner) => {
                self.send(runner, &Message::Subscribe(DatumAt { id: id(&p.program, at), at: needer }))
            }
            Subscription::Answer => match local.place {
                Place::Away(place) if index(needer) == self.me => self.heard(p, at, place, Heard::Away),
                Place::Away(place) => {
                    let datum = DatumAt { id: id(&p.program, at), at: place };
                    let value = Value::Published { size: size(at), payload: Payload::Away };
                    self.send(needer, &Message::Here(Here { datum, writer: 0, value }))
                }
                _ => {
                    let value = self.own.get(&at).cloned();
                    self.tell(p, needer, at, me, value.as_deref())
                }
            },
        }
    }

    pub(super) fn receive_done(&mut self, p: &PreparedProgram, from: usize, done: &Done<'_>) -> Result<(), Wrong> {
        let fate = done.outcome.map(|outcome| match outcome {
            EndState::Success => Fate::Success,
            EndState::Failure(..) => Fate::Failure,
            EndState::Cancelled(..) => Fate::Cancelled,
        });
        let (mut told, mut returned) = (Vec::new(), Vec::new());
        let parts = (fate.is_some(), done.returns);
        self.sent[from]
            .done(process(from), (done.sequence, done.before), parts, &mut |end| match end {
                TaskEnd::Ended(task) => told.extend(fate.map(|fate| (*task, fate))),
                TaskEnd::Returned(task) => returned.push(task),
            })
            .map_err(broken)?;
        self.told.extend(told);
        returned.into_iter().try_for_each(|task| self.returned(p, from, task))
    }

    /// A batch has come.
    pub(in crate::protocol::simulation) fn receive(
        &mut self,
        p: &PreparedProgram,
        from: usize,
        batch: &[u8],
    ) -> Result<(), Wrong> {
        if self.suspects.contains(&from) {
            return Ok(());
        }
        let (head, messages) = BatchHead::read(batch).map_err(|refusal| refusal.to_string())?;
        if self.membership.receive(process(from), head.epoch).map_err(broken)? == Reception::Drop {
            return Ok(());
        }
        for message in messages {
            if !self.membership.hears(process(from)) {
                break;
            }
            let message = message.map_err(|refusal| refusal.to_string())?;
            if counted(&message) {
                self.termination.count_received(process(from));
            }
            self.message(p, from, &message)?;
        }
        Ok(())
    }

    pub(super) fn message(&mut self, p: &PreparedProgram, from: usize, message: &Message<'_>) -> Result<(), Wrong> {
        let sender = process(from);
        match *message {
            Message::Task(task) => self.receive_task(p, from, &task),
            Message::Done(done) => self.receive_done(p, from, &done),
            Message::Subscribe(DatumAt { id, at }) => self.subscribe(p, datum(id), at),
            Message::Here(here) => self.receive_here(p, sender, &here),
            Message::Fetch(fetch) => {
                let bytes = self.own.get(&datum(fetch.datum.id)).cloned();
                let payload = bytes.as_deref().map(Payload::Inline);
                self.send(fetch.asker, &Message::Bytes(Bytes { ticket: fetch.ticket, id: fetch.datum.id, payload }))
            }
            Message::Bytes(Bytes { ticket, payload: Some(Payload::Inline(bytes)), .. })
                if self.requests.contains_key(&ticket) =>
            {
                let at = self.requests.remove(&ticket).expect(NOTHING);
                self.has_come_home(p, at, bytes)
            }
            Message::Bytes(Bytes { ticket, id, payload }) => {
                let bytes = payload.map(|payload| if let Payload::Inline(bytes) = payload { bytes } else { &[] });
                // On one host some are read where they lie.
                self.bytes_came(p, ticket, id, bytes, ticket % 2 == 1)
            }
            Message::Free(id) => {
                self.own.remove(&datum(id));
                self.outputs.remove(&datum(id));
                Ok(())
            }
            Message::References(id, message) => self.receive_references(p, sender, id, message),
            Message::Claim(claim) => self.receive_claim(p, &claim),
            Message::Claimed { claim, .. } => self.claimed(p, &claim, true),
            Message::ClaimRefused(claim) => self.claimed(p, &claim, false),
            Message::Wave { wave } => self.terminate(p, TerminationEvent::Wave { from: sender, wave }),
            Message::Answer { wave, sent, received, failures, .. } => {
                let sum = Counts { sent, received, failures };
                self.terminate(p, TerminationEvent::Answer { from: sender, wave, sum })
            }
            Message::End(end) => self.end(p, &end),
            Message::Lost { process, .. } => self.member(p, MembershipEvent::Lost { from: sender, process }),
            Message::Ack { process } => self.member(p, MembershipEvent::Ack { from: sender, process }),
            _ => Err(format!("{message:?} is not sent")),
        }
    }

    pub(super) fn receive_here(&mut self, p: &PreparedProgram, from: ProcessId, here: &Here<'_>) -> Result<(), Wrong> {
        let (at, place) = (datum(here.datum.id), here.datum.at);
        let value = match here.value {
            Value::Published { payload: Payload::Inline(bytes), .. } => Heard::Bytes(bytes),
            Value::Published { .. } => Heard::Away,
            Value::Poisoned(..) => Heard::Poisoned,
        };
        if let Some(local) = self.locals.get_mut(&at) {
            let told = local.promise.here(from).map_err(broken)?;
            local.place = if matches!(value, Heard::Poisoned) { Place::Poisoned } else { Place::Away(place) };
            let me = process(self.me);
            for to in told.iter().filter(|to| *to != me) {
                let value = match here.value {
                    Value::Published { size, .. } => Value::Published { size, payload: Payload::Away },
                    poisoned @ Value::Poisoned(..) => poisoned,
                };
                self.send(to, &Message::Here(Here { value, ..*here }))?;
            }
            self.heard(p, at, place, value)?;
            self.copy_home(p, at, from, value)?;
            return self.try_free(p, at);
        }
        self.heard(p, at, place, value)
    }

    pub(super) fn receive_references(
        &mut self,
        p: &PreparedProgram,
        from: ProcessId,
        id: DatumId,
        message: LoanMessage,
    ) -> Result<(), Wrong> {
        let at = datum(id);
        let Some(local) = self.locals.get_mut(&at) else {
            return self.holder_step(p, at, HolderEvent::Answer(from, message));
        };
        let answer = if local.freed {
            Some(LoanHome::unknown(from, message).map_err(broken)?)
        } else {
            local.home.message(&mut local.held, from, message).map_err(broken)?
        };
        if let Some(answer) = answer {
            self.send(from, &Message::References(id, answer))?;
        }
        self.try_free(p, at)
    }

    pub(super) fn receive_claim(&mut self, p: &PreparedProgram, claim: &ClaimMessage) -> Result<(), Wrong> {
        let at = datum(claim.id);
        let me = process(self.me);
        if !self.membership.is_alive(claim.runner) {
            let local = self.locals.get(&at).expect(NOTHING);
            return if local.promise.has_producer() { Ok(()) } else { self.settle(p, at, None) };
        }
        let local = self.locals.get_mut(&at).expect(NOTHING);
        let granted = if local.freed { None } else { local.promise.claim(me, claim.runner) };
        if granted.is_some() {
            local.producer = (claim.runner != me).then_some(claim.runner);
        }
        if claim.runner == me {
            return self.claimed(p, claim, granted.is_some());
        }
        let Some(needers) = granted else { return self.send(claim.runner, &Message::ClaimRefused(*claim)) };
        self.send(claim.runner, &Message::Claimed { claim: *claim, size: size(at), carries: None })?;
        for needer in needers.iter() {
            self.send(claim.runner, &Message::Subscribe(DatumAt { id: claim.id, at: needer }))?;
        }
        Ok(())
    }

    /// A home has answered a claim of a task that runs here.
    pub(super) fn claimed(&mut self, p: &PreparedProgram, claim: &ClaimMessage, granted: bool) -> Result<(), Wrong> {
        let at = datum(claim.id);
        if granted && index(claim.id.home()) != self.me {
            self.outputs.entry(at).or_default();
        }
        if !self.membership.is_alive(claim.scheduler) {
            // The task did not run.
            return if granted { self.settle(p, at, None) } else { Ok(()) };
        }
        let from = index(claim.scheduler);
        let state = self.received[from].claim(claim.id, claim.sequence, granted).map_err(broken)?;
        let run = self.runs.iter_mut().find(|(_, run)| run.from == from && run.sequence == claim.sequence);
        let Some((arrival, run)) = run else {
            if granted {
                self.early.push((from, claim.sequence, at));
            }
            return Ok(());
        };
        run.claims.retain(|claimed| *claimed != at);
        if granted {
            run.granted.push(at);
        }
        let arrival = *arrival;
        self.claim_state(p, arrival, state, true)
    }
}
