//! What comes from other processes: one function per message. Whoever sends what the protocol does not allow is lost.

use super::outbox::piece_bytes;
use super::recovering::SERVES;
use super::state::{Handled, Step, index, is_counted};
use crate::data::MOST_BYTES;
use crate::id::{DatumId, ProcessId};
use crate::protocol::Breach;
use crate::protocol::loans::HolderEvent;
use crate::protocol::membership::{MembershipEvent, Reception};
use crate::protocol::tasks::TaskEnd;
use crate::protocol::termination::{Counts, TerminationEvent};
use crate::transport::{LossCause, TransportEvent};
use crate::wire::{
    ACROSS_ROOM, BatchHead, DatumAt, Done, EndState, Here, LoanMessage, Message, REDISTRIBUTION_ROOM, Value,
};

fn of_this_process(from: ProcessId, id: DatumId) -> Handled {
    if id.is_here() { Ok(()) } else { Err(Breach::new(from, "it names a datum of another process as this one's")) }
}

/// Sizes are added up: no sum of what there may be overflows.
fn check_size(from: ProcessId, size: u64) -> Handled {
    if size <= MOST_BYTES as u64 {
        return Ok(());
    }
    Err(Breach::new(from, "it tells a size that no machine has"))
}

impl Step<'_> {
    /// The transport has something.
    pub(super) fn event(&mut self, event: TransportEvent<'_>) {
        match event {
            TransportEvent::Batch(peer, batch) => {
                let from = ProcessId::from_index(peer.index() as u32);
                if let Err(reason) = self.batch(from, batch) {
                    self.gone(from, &reason);
                }
            }
            TransportEvent::BulkSent(token) | TransportEvent::BulkFailed(token) => self.transferred(token, None),
            TransportEvent::BulkReceived(token, memory) => self.transferred(token, Some(memory)),
            TransportEvent::Left(peer) => {
                let from = ProcessId::from_index(peer.index() as u32);
                self.state.records.departed.insert(from);
                self.ended_process(from, "it has left before the end");
            }
            TransportEvent::Lost(peer, cause) => {
                let from = ProcessId::from_index(peer.index() as u32);
                self.state.records.departed.insert(from);
                let LossCause::Ended = cause else { return self.gone(from, &cause.to_string()) };
                self.ended_process(from, &cause.to_string());
            }
        }
    }

    /// A process has ended: a loss, unless nothing was left.
    fn ended_process(&mut self, process: ProcessId, why: &str) {
        if self.state.ends.closing < 2 {
            self.gone(process, why);
        } else {
            self.state.ends.farewells.insert(process);
            self.wake();
        }
    }

    /// A batch has come, or a piece of one. The error says why its sender is lost.
    fn batch(&mut self, from: ProcessId, piece: &[u8]) -> Result<(), String> {
        if self.state.suspects.contains_key(&from) {
            return Ok(()); // process 0 is about to declare it lost
        }
        let most = piece_bytes(&*self.remote.transport);
        let Some(long) = self.state.long.get_mut(index(from)) else { return Err("it is no peer".into()) };
        let mut pieces = std::mem::take(long);
        if pieces.is_empty() && (piece.len() != most || BatchHead::longer(piece).is_none()) {
            return self.whole_batch(from, piece);
        }
        pieces.extend_from_slice(piece);
        if piece.len() == most && BatchHead::longer(&pieces).is_some() {
            *long = pieces;
            return Ok(());
        }
        self.whole_batch(from, &pieces)
    }

    /// All of a batch is there.
    fn whole_batch(&mut self, from: ProcessId, batch: &[u8]) -> Result<(), String> {
        let (head, messages) = BatchHead::read(batch).map_err(|refusal| refusal.to_string())?;
        let reception = self.state.membership.receive(from, head.epoch).map_err(|breach| breach.to_string())?;
        if reception == Reception::Drop {
            return Ok(());
        }
        for message in messages {
            if !self.state.membership.hears(from) {
                break;
            }
            let message = message.map_err(|refusal| refusal.to_string())?;
            if is_counted(&message) {
                if self.state.termination.is_idle() {
                    self.busy();
                }
                self.state.termination.count_received(from);
            }
            self.message(from, &message).map_err(|breach| breach.to_string())?;
        }
        Ok(())
    }

    fn message(&mut self, from: ProcessId, message: &Message<'_>) -> Handled {
        match *message {
            Message::Task(task) => self.task(from, &task),
            Message::Processing(told) => self.told_of_function(from, &told),
            Message::ProcessingAsk { number } => {
                self.asked_for_function(from, number);
                Ok(())
            }
            Message::Done(done) => self.done(from, &done),
            Message::Subscribe(datum) => self.subscribe(from, datum),
            Message::Here(here) => self.here(from, &here),
            Message::Fetch(fetch) => self.fetch(from, &fetch),
            Message::Bytes(bytes) => self.bytes(from, &bytes),
            Message::Free(id) => self.free(from, id),
            Message::References(id, message) => self.references(from, id, message),
            Message::Claim(claim) => {
                of_this_process(from, claim.id)?;
                self.claim(from, &claim)
            }
            Message::Claimed { claim, size, carries } => {
                self.check_claim(from, &claim)?;
                check_size(from, size)?;
                self.claimed(&claim, Some((size, carries.map(|datum| datum.id))))
            }
            Message::ClaimRefused(claim) => {
                self.check_claim(from, &claim)?;
                self.claimed(&claim, None)
            }
            Message::Unregistered { number } => {
                self.unregistered_elsewhere(from, number);
                Ok(())
            }
            Message::Wave { wave } => self.terminate(TerminationEvent::Wave { from, wave }),
            Message::Answer { wave, sent, received, failures, first } => {
                self.note_first(first.map(|(process, code, text)| (process, code, text.to_owned())));
                let sum = Counts { sent, received, failures };
                self.terminate(TerminationEvent::Answer { from, wave, sum })
            }
            Message::End(end) => self.end_from(from, &end),
            Message::Beat => Ok(()),
            Message::Lost { process, .. } => self.member(MembershipEvent::Lost { from, process }),
            Message::Ack { process } => self.member(MembershipEvent::Ack { from, process }),
            Message::CodeAsk { piece, build_id, of } => self.code_asked(from, piece, build_id, of),
            Message::Code(code) => self.code_came(from, &code),
            Message::CodeRefused { build_id, why } => self.code_refused(from, build_id, why),
            Message::Edge(edge) if edge.room == SERVES => {
                self.serves(from);
                Ok(())
            }
            Message::Edge(edge) if edge.room == REDISTRIBUTION_ROOM => self.round_message(from, &edge),
            Message::Edge(edge) if edge.room == ACROSS_ROOM => self.across_message(from, &edge),
            Message::Edge(edge) => self.record(from, &edge),
        }
    }

    fn check_claim(&self, from: ProcessId, claim: &crate::wire::ClaimMessage) -> Handled {
        if claim.id.home() == from
            && claim.runner == self.me()
            && claim.scheduler.index() < self.state.sent.len() as u64
        {
            return Ok(());
        }
        Err(Breach::new(from, "it answers a claim that is not its to answer"))
    }

    /// Tasks that were sent have ended, or their references are free.
    fn done(&mut self, from: ProcessId, done: &Done<'_>) -> Handled {
        let (mut ended, mut returned) = (0, Vec::new());
        let parts = (done.outcome.is_some(), done.returns);
        self.state.sent[index(from)].done(from, (done.sequence, done.before), parts, &mut |end| match end {
            TaskEnd::Ended(_) => ended += 1,
            TaskEnd::Returned(task) => returned.push(task),
        })?;
        if let Some(EndState::Failure(_, text)) = done.outcome {
            self.failed_elsewhere(from, text);
        }
        for _ in 0..ended {
            self.call.count_ended_elsewhere();
        }
        for task in returned {
            self.returned(from, task);
        }
        Ok(())
    }

    /// A process needs a promise: as its home, or as the process of its producer, to which home passes that on.
    fn subscribe(&mut self, from: ProcessId, datum: DatumAt) -> Handled {
        let DatumAt { id, at } = datum;
        if at.index() >= self.state.sent.len() as u64 {
            return Err(Breach::new(from, "it speaks of a process that does not exist"));
        }
        if id.is_here() {
            if at != from {
                return Err(Breach::new(from, "it subscribes for another process"));
            }
            self.subscribe_near(id, at);
            return Ok(());
        }
        if id.home() != from || !self.subscribe_output(id, at) {
            return Err(Breach::new(from, "it passes a process on to one that does not produce the datum"));
        }
        Ok(())
    }

    fn here(&mut self, from: ProcessId, here: &Here<'_>) -> Handled {
        if here.datum.at.index() >= self.state.sent.len() as u64 {
            return Err(Breach::new(from, "it speaks of a process that does not exist"));
        }
        if let Value::Published { size, .. } = here.value {
            check_size(from, size)?;
        }
        if here.datum.id.is_here() {
            return self.here_at_home(from, here);
        }
        self.here_elsewhere(here);
        Ok(())
    }

    /// Home says that nobody needs what a task of this process has produced.
    fn free(&mut self, from: ProcessId, id: DatumId) -> Handled {
        if id.home() != from {
            return Err(Breach::new(from, "it frees a datum that is not its own"));
        }
        if let Some(far) = self.state.far.get_mut(&id) {
            far.output = None;
        }
        self.state.copies.drop_copy(id);
        self.forget_slot(id);
        self.tidy(id);
        Ok(())
    }

    fn references(&mut self, from: ProcessId, id: DatumId, message: LoanMessage) -> Handled {
        if id.is_here() {
            return self.loan_message(from, id, message);
        }
        if id.home() != from {
            return Err(Breach::new(from, "it speaks of references of another process's datum"));
        }
        self.holder_step(id, HolderEvent::Answer(from, message))?;
        Ok(())
    }
}
