//! Data of this process that other processes use: who has loans, who needs a promise, and where the bytes are.

use std::collections::hash_map::Entry;

use super::state::{BytesPlace, Handled, NearDatum, Step};
use crate::data::{DatumId, Outcome, STORE};
use crate::error::dvm_retcode_t;
use crate::id::ProcessId;
use crate::protocol::copies::MOST_TICKETS;
use crate::protocol::loans::{Held, LoanHome};
use crate::protocol::promises::{Promise, Subscription};
use crate::protocol::{Breach, ProcessSet};
use crate::wire::{ClaimMessage, DatumAt, Here, LoanMessage, Message, Payload, TEXT_BYTES, Value, cut};

/// The code and the text of a datum that does not exist.
fn unknown(id: DatumId) -> (dvm_retcode_t, String) {
    (dvm_retcode_t::DVM_ERR_ID, format!("datum {id} has been freed, or was never given"))
}

/// The code and the text of a datum whose producer has failed.
pub(super) fn poisoned(id: DatumId) -> (dvm_retcode_t, String) {
    let text =
        format!("datum {id} will never have a value: the task that was to produce it has failed or was cancelled");
    (dvm_retcode_t::DVM_ERR_POISONED, text)
}

/// Requests for bytes of a process's own data have this bit in their ticket; those for copies have neither.
pub(super) const NEAR_TICKET: u32 = 1 << 31;

/// A request with this bit is not answered by shared memory: the bytes themselves are to come.
pub(super) const PLAIN_TICKET: u32 = 1 << 29;

/// A request with this bit asks for no bytes: the answer says that what was sent before was taken in, and answered.
pub(super) const ECHO_TICKET: u32 = 1 << 30;

impl Step<'_> {
    /// The entry of a datum of this process, which other processes know from now on; none if it does not exist.
    pub(super) fn near(&mut self, id: DatumId) -> Option<&mut NearDatum> {
        if let Entry::Vacant(entry) = self.state.near.entry(id) {
            let found = STORE.mark(id).ok()?;
            let mut promise = Promise::default();
            let place = match found.outcome {
                Some(Outcome::Published) => BytesPlace::Here,
                Some(Outcome::Poisoned) => BytesPlace::Poisoned,
                None => BytesPlace::Nowhere,
            };
            if found.outcome.is_some() {
                promise.settle();
            }
            entry.insert(NearDatum {
                loans: LoanHome::default(),
                promise,
                place,
                producer: None,
                size: found.size as u64,
                ticket: None,
                waiting: Vec::new(),
                carries: None,
                failure: None,
            });
        }
        self.state.near.get_mut(&id)
    }

    /// A marked datum, by its local slot, has changed.
    pub(super) fn told(&mut self, local: DatumId) {
        if let Some(far) = self.state.slots.get(&local) {
            self.told_of_far(*far);
        } else {
            self.take_in(local);
            if STORE.is_awaited(local) {
                self.request(local);
            }
            self.try_free(local);
        }
    }

    /// Takes in that a datum of this process has come to something here.
    pub(super) fn take_in(&mut self, id: DatumId) {
        if !self.state.near.contains_key(&id) {
            return;
        }
        let Some(outcome) = STORE.marked(id).and_then(|found| found.outcome) else { return };
        let Some(near) = self.state.near.get_mut(&id) else { return };
        let waiting = std::mem::take(&mut near.waiting);
        self.state.located.push(id);
        if !near.promise.is_settled() {
            near.place = if outcome == Outcome::Published { BytesPlace::Here } else { BytesPlace::Poisoned };
            let needers = near.promise.settle();
            self.tell_all(id, &needers);
        }
        for arrival in waiting {
            if outcome == Outcome::Poisoned
                && let Some(run) = self.state.runs.waiting_mut(arrival)
            {
                run.poisoned = true;
            }
            self.copies(|copies, actions| copies.release(arrival, actions));
        }
        self.is_home(id);
    }

    /// Tells processes what a datum of this one has come to.
    pub(super) fn tell_all(&mut self, id: DatumId, needers: &ProcessSet) {
        let me = self.me();
        needers.iter().filter(|to| *to != me).for_each(|to| self.tell(to, id));
    }

    /// Tells a process what a datum of this one has come to.
    fn tell(&mut self, to: ProcessId, id: DatumId) {
        let Some(near) = self.state.near.get(&id) else {
            let (code, text) = unknown(id);
            return self.tell_none(to, id, code, &text);
        };
        match near.place {
            BytesPlace::Here => self.tell_bytes(to, id, id),
            BytesPlace::Away(at) => {
                let value = Value::Published { size: near.size, payload: Payload::Away };
                self.send(to, &Message::Here(Here { datum: DatumAt { id, at }, writer: 0, value }));
            }
            BytesPlace::Poisoned | BytesPlace::Nowhere => {
                let (code, text) = near.failure.clone().unwrap_or_else(|| poisoned(id));
                self.tell_none(to, id, code, &text);
            }
        }
    }

    /// Tells a process that a datum has a value, which is here, in this local slot.
    pub(super) fn tell_bytes(&mut self, to: ProcessId, id: DatumId, slot: DatumId) {
        let datum = DatumAt { id, at: self.me() };
        let eager = self.state.eager;
        let Some(lent) = self.data(|cache| STORE.lend(cache, slot)) else {
            let (code, text) = unknown(id);
            return self.tell_none(to, id, code, &text);
        };
        let bytes = lent.as_ref();
        let payload = if bytes.len() <= eager { Payload::Inline(bytes) } else { Payload::Away };
        let value = Value::Published { size: bytes.len() as u64, payload };
        self.send(to, &Message::Here(Here { datum, writer: 0, value }));
        drop(lent);
        self.data(|cache| STORE.reconsider(cache, slot));
    }

    /// Tells a process that a datum will have no value.
    pub(super) fn tell_none(&mut self, to: ProcessId, id: DatumId, code: dvm_retcode_t, text: &str) {
        let datum = DatumAt { id, at: self.me() };
        let value = Value::Poisoned(code, cut(text, TEXT_BYTES));
        self.send(to, &Message::Here(Here { datum, writer: 0, value }));
    }

    /// A process needs a promise of this one.
    pub(super) fn subscribe_near(&mut self, id: DatumId, needer: ProcessId) {
        let me = self.me();
        if self.near(id).is_none() {
            let (code, text) = unknown(id);
            return self.tell_none(needer, id, code, &text);
        }
        self.take_in(id);
        let Some(near) = self.state.near.get_mut(&id) else { return };
        match near.promise.subscribe(me, needer) {
            Subscription::Kept => {}
            Subscription::PassOn(runner) => self.send(runner, &Message::Subscribe(DatumAt { id, at: needer })),
            Subscription::Answer => self.tell(needer, id),
        }
    }

    /// A datum of this process has come to something in the process of its producer.
    pub(super) fn here_at_home(&mut self, from: ProcessId, here: &Here<'_>) -> Handled {
        let id = here.datum.id;
        let Some(near) = self.state.near.get_mut(&id) else {
            return Err(Breach::new(from, "it gives a value to a datum that has none to get"));
        };
        if here.datum.at != from {
            return Err(Breach::new(from, "it gives a value in another process's name"));
        }
        let needers = near.promise.here(from)?;
        match here.value {
            Value::Published { size, .. } => {
                near.place = BytesPlace::Away(here.datum.at);
                near.size = size;
            }
            Value::Poisoned(code, text) => {
                near.place = BytesPlace::Poisoned;
                near.producer = None;
                near.failure = Some((code, text.to_owned()));
            }
        }
        self.tell_all(id, &needers);
        self.state.located.push(id);
        match here.value {
            Value::Published { payload: Payload::Inline(bytes), .. } => {
                STORE.set_size(id, bytes.len());
                self.arrived(id, Some(bytes));
            }
            Value::Published { size, .. } => {
                STORE.set_size(id, size as usize);
                let by_arrivals = self.state.near.get(&id).is_some_and(|near| !near.waiting.is_empty());
                let by_threads = self.state.waited.contains_key(&id);
                if by_arrivals || by_threads || STORE.is_awaited(id) || self.recovers() {
                    self.request(id);
                }
            }
            Value::Poisoned(..) => self.arrived(id, None),
        }
        self.try_free(id);
        Ok(())
    }

    /// The bytes of a promise of this process have come, or never will.
    pub(super) fn arrived(&mut self, id: DatumId, bytes: Option<&[u8]>) {
        let storage = bytes.and_then(|bytes| match self.call.storage_of(bytes) {
            Ok(storage) => Some(storage),
            Err(error) => {
                self.no_room(id, &error);
                None
            }
        });
        self.call.arrived(id, storage);
        self.take_in(id);
    }

    /// Somebody here begins to wait for a promise of this process.
    pub(super) fn awaited(&mut self, id: DatumId) {
        if STORE.marked(id).is_some_and(|found| found.outcome.is_none()) {
            self.request(id);
        }
    }

    /// A thread of the program begins to wait for a promise of this process. From now on its bytes are asked for, also if
    /// the thread does not sleep on it yet when their place is told.
    pub(super) fn begin_wait(&mut self, id: DatumId) {
        *self.state.waited.entry(id).or_default() += 1;
        self.awaited(id);
    }

    /// That thread waits no longer.
    pub(super) fn end_wait(&mut self, id: DatumId) {
        if let Entry::Occupied(mut threads) = self.state.waited.entry(id) {
            *threads.get_mut() -= 1;
            if *threads.get() == 0 {
                threads.remove();
            }
        }
    }

    /// Asks for the bytes of a datum of this process that lie elsewhere, unless they are asked for already.
    pub(super) fn request(&mut self, id: DatumId) {
        let Some(near) = self.state.near.get_mut(&id) else { return };
        let (BytesPlace::Away(at), None) = (near.place, near.ticket) else { return };
        let size = near.size;
        let ticket = self.state.number() as u32 & MOST_TICKETS | NEAR_TICKET;
        self.state.requests.insert(ticket, id);
        if let Some(near) = self.state.near.get_mut(&id) {
            near.ticket = Some(ticket);
        }
        self.ask_for_bytes(ticket, id, at, size);
    }

    /// What another process says about references of a datum of this one.
    pub(super) fn loan_message(&mut self, from: ProcessId, id: DatumId, message: LoanMessage) -> Handled {
        if self.near(id).is_none() {
            let answer = LoanHome::unknown(from, message)?;
            self.send(from, &Message::References(id, answer));
            return Ok(());
        }
        let Some(near) = self.state.near.get_mut(&id) else { return Ok(()) };
        let answer = STORE.with_references(id, |available, taken| {
            let mut held = Held { available: *available, taken: *taken };
            let answer = near.loans.message(&mut held, from, message);
            (*available, *taken) = (held.available, held.taken);
            answer
        });
        if let Some(answer) = answer.transpose()?.flatten() {
            self.send(from, &Message::References(id, answer));
        }
        self.try_free(id);
        Ok(())
    }

    /// The scheduler of a task claims an output of it.
    pub(super) fn claim(&mut self, from: ProcessId, claim: &ClaimMessage) -> Handled {
        let (id, me) = (claim.id, self.me());
        if claim.scheduler != from {
            return Err(Breach::new(from, "it claims an output for another process"));
        }
        let granted = self.near(id).is_some() && STORE.claim_away(id).is_ok();
        if !self.state.membership.is_alive(claim.runner) {
            if granted {
                self.arrived(id, None);
            }
            return Ok(());
        }
        let mut needers = None;
        if granted && let Some(near) = self.state.near.get_mut(&id) {
            needers = near.promise.claim(me, claim.runner);
            near.producer = (claim.runner != me).then_some(claim.runner);
        }
        let (size, carries) = self.shape(id);
        if claim.runner == me {
            return self.claimed(claim, needers.map(|_| (size, carries)));
        }
        let Some(needers) = needers else {
            self.send(claim.runner, &Message::ClaimRefused(*claim));
            return Ok(());
        };
        let carries = carries.map(DatumAt::home);
        self.send(claim.runner, &Message::Claimed { claim: *claim, size, carries });
        self.pass_on(id, &needers, claim.runner);
        Ok(())
    }

    /// Those who need a promise are told to the process of its producer.
    pub(super) fn pass_on(&mut self, id: DatumId, needers: &ProcessSet, runner: ProcessId) {
        needers.iter().for_each(|at| self.send(runner, &Message::Subscribe(DatumAt { id, at })));
    }

    /// The size of a promise of this process, and what it carries on.
    pub(super) fn shape(&self, id: DatumId) -> (u64, Option<DatumId>) {
        let found = STORE.marked(id);
        let predecessor = found.and_then(|found| found.predecessor);
        let carries = predecessor.or_else(|| self.state.near.get(&id).and_then(|near| near.carries));
        (found.map_or(0, |found| found.size as u64), carries)
    }

    /// Makes a promise of this process carry a far datum on.
    pub(super) fn carry_on(&mut self, current: DatumId, next: DatumId) -> Result<(), crate::error::Error> {
        self.check_alive(current.home())?;
        let size = self.state.far.get(&current).map_or(0, |far| far.size);
        STORE.set_size(next, size as usize);
        if let Some(near) = self.near(next) {
            near.carries = Some(current);
        }
        Ok(())
    }

    /// Frees a datum of this process if nobody anywhere needs it.
    pub(super) fn try_free(&mut self, id: DatumId) {
        let frozen = self.state.membership.frozen();
        let Some(near) = self.state.near.get(&id) else { return };
        let Some(found) = STORE.marked(id) else { return };
        let held = Held { available: 0, taken: 0 };
        let undecided = found.produced && !near.promise.is_settled();
        let used = near.ticket.is_some() || !near.waiting.is_empty();
        if undecided
            || used
            || self.keeps_for_recovery(id)
            || !STORE.is_lonely(id)
            || !near.loans.may_free(held, frozen)
        {
            return;
        }
        let producer = near.producer;
        self.state.near.remove(&id);
        if let Some(producer) = producer {
            self.send(producer, &Message::Free(id));
        }
        self.data(|cache| STORE.unmark(cache, id));
    }
}
