//! Processings of other processes, and those of this one as others know them.

use super::progress::EAGER;
use super::state::{Handled, Remote, Step};
use crate::engine::Call;
use crate::error::{Error, dvm_retcode_t};
use crate::id::{ProcessId, ProcessingId};
use crate::processing::announcement::{Adopted, ProcessingAnnouncement, adopt};
use crate::processing::{Found, REGISTRY, Signature};
use crate::protocol::Breach;
use crate::wire::{Message, Processing};

fn unknown(id: ProcessingId) -> Error {
    let text = format!("processing {id} is unknown: it was never registered, or has been unregistered");
    Error::new(dvm_retcode_t::DVM_ERR_PROCESSING, text)
}

impl Step<'_> {
    /// The processing with this id as tasks here run it.
    pub(super) fn function_of(&self, id: ProcessingId) -> Result<&'static Signature, Error> {
        let local = if id.is_here() {
            id
        } else {
            match self.state.functions.get(&id) {
                Some(found) => found.clone()?,
                None => return Err(unknown(id)),
            }
        };
        REGISTRY.signature(local).ok_or_else(|| unknown(id))
    }

    /// Before the first task of a processing that goes to a process: what it is.
    pub(super) fn announce(&mut self, id: ProcessingId, signature: &'static Signature, to: ProcessId) {
        if id.home() == to || !self.state.announcements.announce(id, to) {
            return;
        }
        match ProcessingAnnouncement::new(signature) {
            Ok(announcement) => {
                let told = announcement.message(id);
                self.offer(&told);
                self.send(to, &Message::Processing(told));
            }
            Err(error) => self.call.note_defect(error.message()),
        }
    }

    /// A process says what a processing is.
    pub(super) fn told_of_function(&mut self, from: ProcessId, told: &Processing<'_>) -> Handled {
        if told.id.is_here() {
            return Err(Breach::new(from, "it explains a processing of this process"));
        }
        if self.state.functions.get(&told.id).is_none_or(Result::is_err) {
            match adopt(told, self.me(), self.remote.code.ships) {
                Ok(Adopted::Elsewhere) => {
                    // What was said before may have been that there is no code.
                    self.state.functions.remove(&told.id);
                    self.fetch_code(from, told);
                }
                Ok(Adopted::Here(local)) => drop(self.state.functions.insert(told.id, Ok(local))),
                Err(error) => drop(self.state.functions.insert(told.id, Err(error))),
            }
        }
        self.wake();
        Ok(())
    }

    /// A process asks what a processing of this one is.
    pub(super) fn asked_for_function(&mut self, from: ProcessId, number: u64) {
        let id = ProcessingId::here(number);
        match REGISTRY.find(id) {
            Ok(found) => self.announce(id, found.signature, from),
            Err(_) => self.send(from, &Message::Unregistered { number }),
        }
    }

    /// A processing of this process was unregistered: those who know it are told.
    pub(super) fn unregister(&mut self, id: ProcessingId) {
        self.state.announcements.unregister(id);
        let number = id.number();
        let others: Vec<ProcessId> = self.state.membership.survivors().filter(|to| *to != self.me()).collect();
        for to in others {
            self.send(to, &Message::Unregistered { number });
        }
    }

    /// A processing of another process does not exist any more.
    pub(super) fn unregistered_elsewhere(&mut self, from: ProcessId, number: u64) {
        let id = ProcessingId::from_raw([from.index(), number]);
        self.state.announcements.unregister(id);
        if let Some(Ok(local)) = self.state.functions.insert(id, Err(unknown(id))) {
            // Tasks that have come still run.
            let _ = REGISTRY.unregister(local);
        }
        self.wake();
    }

    fn asked_function(&mut self, id: ProcessingId) -> Option<Result<Found, Error>> {
        if self.state.membership.ended() || !self.state.membership.is_alive(id.home()) {
            return Some(Err(unknown(id)));
        }
        let found = self.state.functions.get(&id)?;
        Some(found.clone().and_then(|local| REGISTRY.find(local)))
    }
}

impl Remote {
    /// A processing of another process, which is asked what it is if that is not known here.
    pub(super) fn find_function(&self, call: &Call, id: ProcessingId) -> Result<Found, Error> {
        let known = self.step(call, |step| {
            if id.home().index() >= step.state.sent.len() as u64 {
                return Some(Err(unknown(id)));
            }
            let found = step.asked_function(id);
            if found.is_none() {
                step.send(id.home(), &Message::ProcessingAsk { number: id.number() });
                step.state.asked.push(id);
            }
            found
        });
        if let Some(found) = known {
            return found;
        }
        let found = call.while_blocked(|| self.wait_until(call, EAGER, |step| step.asked_function(id)));
        self.state.lock().forget_question(id);
        found
    }
}
