//! Data of other processes: the references of this one, the local slots of their bytes, and the threads that use them.

use super::near_data::{ECHO_TICKET, poisoned};
use super::progress::EAGER;
use super::state::{Brought, FarDatum, Handled, Remote, Step, Want, index};
use crate::data::{DatumId, Outcome, STORE, Storage, no_memory};
use crate::engine::Call;
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::protocol::copies::{Input, Known, MOST_TICKETS};
use crate::protocol::loans::{HolderAction, HolderEvent};
use crate::protocol::promises::OutputClaim;
use crate::wire::{DatumAt, Done, Fetch, Message};

impl Step<'_> {
    /// Refuses a call that needs a process which is lost.
    pub(super) fn check_alive(&self, process: ProcessId) -> Result<(), Error> {
        if self.state.membership.ended() || !self.state.membership.is_alive(process) {
            let text = format!("process {process} is lost: its processing units and its data are gone");
            return Err(Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, text));
        }
        Ok(())
    }

    /// Whether a task of this process has given a datum of another one its bytes.
    pub(super) fn is_own_output(&self, id: DatumId) -> bool {
        let output = |far: &FarDatum| far.slot.is_some() && far.output.as_ref().is_some_and(OutputClaim::is_settled);
        self.state.far.get(&id).is_some_and(output)
    }

    /// The entry of a datum of another process.
    pub(super) fn far(&mut self, id: DatumId) -> &mut FarDatum {
        self.state.far.entry(id).or_default()
    }

    /// Notes a breach of this process by itself: a defect.
    pub(super) fn own(&mut self, handled: Handled) {
        if let Err(breach) = handled {
            self.call.note_defect(&breach.to_string());
        }
    }

    /// Takes an event of a far datum's references in.
    pub(super) fn holder_step(&mut self, id: DatumId, event: HolderEvent) -> Handled {
        let mut actions = Vec::new();
        let far = self.far(id);
        let stepped = far.holder.step(&mut far.held, event, &mut actions);
        self.holder_actions(id, actions);
        self.tidy(id);
        stepped
    }

    pub(super) fn holder_actions(&mut self, id: DatumId, actions: Vec<HolderAction>) {
        for action in actions {
            match action {
                HolderAction::Send(message) => self.send(id.home(), &Message::References(id, message)),
                HolderAction::Granted => match self.far(id).wants.pop_front() {
                    Some(Want::Relax) => {
                        let released = self.holder_step(id, HolderEvent::Release);
                        self.own(released);
                    }
                    Some(Want::Task(pending)) => self.granted(pending, id, true),
                    None => self.call.note_defect("a reference that nobody wants"),
                },
                HolderAction::Denied => match self.far(id).wants.pop_front() {
                    Some(Want::Task(pending)) => self.granted(pending, id, false),
                    _ => self.call.count_failure(|| {
                        format!("datum {id} was relaxed here, and its home has no reference left, or no such datum")
                    }),
                },
                HolderAction::AcquireDenied => self.call.count_failure(|| {
                    format!("datum {id} was acquired here, and does not exist any more, or never did")
                }),
                HolderAction::Return(task) => {
                    let parts = self.state.received[index(task.from)].release(task.sequence);
                    if let Some(parts) = parts {
                        let done = Done { sequence: task.sequence, before: 0, outcome: None, returns: parts.returns };
                        self.send(task.from, &Message::Done(done));
                    }
                }
            }
        }
    }

    /// Uses a reference of a far datum; the use follows when there is one.
    pub(super) fn want(&mut self, id: DatumId, want: Want) {
        self.far(id).wants.push_back(want);
        let wanted = self.holder_step(id, HolderEvent::Use);
        self.own(wanted);
    }

    /// `dvm_data_acquire`.
    pub(super) fn acquire(&mut self, id: DatumId) -> Result<(), Error> {
        self.check_alive(id.home())?;
        let acquired = self.holder_step(id, HolderEvent::Acquire);
        self.own(acquired);
        Ok(())
    }

    /// `dvm_data_relax`.
    pub(super) fn relax(&mut self, id: DatumId) -> Result<(), Error> {
        self.check_alive(id.home())?;
        self.want(id, Want::Relax);
        Ok(())
    }

    /// A taken reference of any datum is not used any longer.
    pub(super) fn release(&mut self, id: DatumId) {
        if id.home() == self.me() {
            self.data(|cache| STORE.drop_taken(cache, id));
            // In this step: the next one may end a wait, after which the datum must be gone.
            return self.try_free(id);
        }
        let released = self.holder_step(id, HolderEvent::Release);
        self.own(released);
    }

    /// Keeps the bytes of a far datum in a local slot.
    pub(super) fn keep(&mut self, id: DatumId, storage: Storage, size: usize) -> bool {
        let home = self.call.any_home();
        match self.data(|cache| STORE.proxy(cache, size, storage, true, home)) {
            Ok(slot) => {
                self.state.slots.insert(slot, id);
                let far = self.far(id);
                (far.slot, far.size) = (Some(slot), size as u64);
                true
            }
            Err(error) => {
                self.no_room(id, &error);
                false
            }
        }
    }

    /// Forgets the local slot of a far datum; whoever uses it goes on doing so.
    pub(super) fn forget_slot(&mut self, id: DatumId) {
        if let Some(slot) = self.state.far.get_mut(&id).and_then(|far| far.slot.take()) {
            self.state.slots.remove(&slot);
            self.data(|cache| STORE.unmark(cache, slot));
        }
    }

    /// The local slot of a far datum has changed.
    pub(super) fn told_of_far(&mut self, id: DatumId) {
        let Some(slot) = self.state.far.get(&id).and_then(|far| far.slot) else { return };
        if let Some(outcome) = STORE.marked(slot).and_then(|found| found.outcome) {
            self.settle_output(id, slot, outcome);
        }
        if STORE.is_lonely(slot) && self.far(id).given == 0 {
            let gets = self.state.far.get_mut(&id).map(|far| std::mem::take(&mut far.gets));
            for arrival in gets.into_iter().flatten() {
                self.state.brought.remove(&arrival);
                self.copies(|copies, actions| copies.end(arrival, actions));
            }
        }
        self.tidy(id);
    }

    /// An output of a task of this process has come to something.
    pub(super) fn settle_output(&mut self, id: DatumId, slot: DatumId, outcome: Outcome) {
        let me = self.me();
        let Some(output) = self.state.far.get_mut(&id).and_then(|far| far.output.as_mut()) else { return };
        if output.is_settled() {
            return;
        }
        let subscribers = output.settle();
        let others = subscribers.iter().filter(|to| *to != me && *to != id.home());
        for to in others.chain([id.home()]).collect::<Vec<_>>() {
            self.tell_output(to, id, slot, outcome);
        }
        if subscribers.contains(me) {
            self.heard_of_own(id);
        }
        if outcome == Outcome::Poisoned {
            self.forget_slot(id);
        }
    }

    fn tell_output(&mut self, to: ProcessId, id: DatumId, slot: DatumId, outcome: Outcome) {
        match outcome {
            Outcome::Published => self.tell_bytes(to, id, slot),
            Outcome::Poisoned => {
                let (code, text) = poisoned(id);
                self.tell_none(to, id, code, &text);
            }
        }
    }

    /// A process needs an output of a task of this one, as its home says.
    pub(super) fn subscribe_output(&mut self, id: DatumId, needer: ProcessId) -> bool {
        let me = self.me();
        let Some(output) = self.state.far.get_mut(&id).and_then(|far| far.output.as_mut()) else { return false };
        if !output.subscribe(needer) {
            return true;
        }
        if needer == me {
            self.heard_of_own(id);
            return true;
        }
        if let Some(slot) = self.state.far.get(&id).and_then(|far| far.slot) {
            self.tell_output(needer, id, slot, Outcome::Published);
        } else {
            let (code, text) = poisoned(id);
            self.tell_none(needer, id, code, &text);
        }
        true
    }

    /// Tasks of this process wait for an output of another task of this process.
    fn heard_of_own(&mut self, id: DatumId) {
        let me = self.me();
        self.state.located.push(id);
        let slot = self.state.far.get(&id).and_then(|far| far.slot);
        match slot.and_then(|slot| STORE.marked(slot)).filter(|found| found.outcome == Some(Outcome::Published)) {
            Some(found) => self.copies(|copies, actions| copies.here(id, me, found.size as u64, true, actions)),
            None => self.copies(|copies, actions| copies.poisoned(id, actions)),
        }
    }

    /// Forgets a far datum of which nothing is left.
    pub(super) fn tidy(&mut self, id: DatumId) {
        let Some(far) = self.state.far.get(&id) else { return };
        let unused =
            far.given == 0 && far.slot.is_none() && far.output.is_none() && far.gets.is_empty() && far.wants.is_empty();
        if unused && far.held.is_nothing() && far.holder.is_idle() && !self.state.copies.knows(id) {
            self.state.far.remove(&id);
        }
    }

    /// A copy that is read in another process's memory gets bytes of its own: a thread that has got them keeps them, whoever
    /// frees the datum.
    fn have_own_bytes(&mut self, id: DatumId) -> Result<(), Error> {
        if !self.state.copies.is_mapped(id) {
            return Ok(());
        }
        if self.state.copies.drop_copy(id) {
            self.forget_slot(id);
            return Ok(());
        }
        // Tasks use it, and go on doing so.
        let Some(slot) = self.state.far.get(&id).and_then(|far| far.slot) else { return Ok(()) };
        let Some(lent) = self.data(|cache| STORE.lend(cache, slot)) else { return Ok(()) };
        let copied = self.call.storage_of(lent.as_ref()).map(|storage| (storage, lent.as_ref().len()));
        drop(lent);
        let (storage, size) = copied?;
        if !self.keep(id, storage, size) {
            return Err(no_memory(size));
        }
        self.state.copies.unmapped(id);
        self.state.slots.remove(&slot);
        self.data(|cache| STORE.unmark(cache, slot));
        Ok(())
    }

    /// Begins to bring the bytes of a far datum here; gives the slot if they are here.
    fn begin_to_bring(&mut self, id: DatumId) -> Result<Result<DatumId, u64>, Error> {
        let far = self.far(id);
        // An output of a task of this process stays until its home frees it; what another thread uses, until then.
        if let Some(slot) = far.slot
            && (far.output.is_some() || !far.gets.is_empty())
            && STORE.marked(slot).is_some_and(|found| found.outcome == Some(Outcome::Published))
        {
            far.given += 1;
            return Ok(Ok(slot));
        }
        let (size, kept) = (far.size, !far.held.is_nothing() || far.holder.is_read());
        self.check_alive(id.home())?;
        self.have_own_bytes(id)?;
        // A copy says nothing about a datum that this process does not keep: it may have been freed.
        if !kept && self.state.copies.drop_copy(id) {
            self.forget_slot(id);
        }
        let arrival = self.state.number();
        self.state.brought.insert(arrival, Brought::Waits);
        let input = Input { id, size, known: Known::Promised };
        self.copies(|copies, actions| copies.arrive(arrival, &[input], 0, actions));
        if self.call.inside_task() && self.state.brought.get(&arrival) == Some(&Brought::Waits) {
            // A task does not wait for a promise: the answer to this comes behind what home says of the datum.
            let ticket = self.state.number() as u32 & MOST_TICKETS | ECHO_TICKET;
            self.state.echoes.insert(ticket, arrival);
            let (asker, datum) = (self.me(), DatumAt::home(id));
            self.send(id.home(), &Message::Fetch(Fetch { ticket, datum, asker, worker: 0, size: 0 }));
        }
        Ok(Err(arrival))
    }

    /// Home has answered all that was asked about a datum before.
    pub(super) fn echoed(&mut self, ticket: u32, id: DatumId) {
        let Some(arrival) = self.state.echoes.remove(&ticket) else { return };
        let waits = self.state.brought.get(&arrival) == Some(&Brought::Waits);
        if !waits || self.state.copies.place(id).is_some() {
            return;
        }
        let text =
            format!("datum {id} is not published yet and a task may not wait for it: schedule a task that reads it");
        self.far(id).failure = Some((dvm_retcode_t::DVM_ERR_NOT_READY, text));
        self.copies(|copies, actions| copies.withdraw(arrival, actions));
        self.state.brought.insert(arrival, Brought::Never);
        self.wake();
    }

    /// A thread that was given the slot of a far datum has got its bytes, or has failed to.
    pub(super) fn got(&mut self, id: DatumId) {
        if let Some(far) = self.state.far.get_mut(&id) {
            far.given = far.given.saturating_sub(1);
        }
        self.told_of_far(id);
    }

    /// What a thread that waits for bytes finds: the slot, or why there will be none.
    fn brought(&mut self, id: DatumId, arrival: u64) -> Option<Result<DatumId, Error>> {
        if self.state.membership.ended() {
            return Some(Err(super::losses::out_of_the_job()));
        }
        match self.state.brought.get(&arrival) {
            Some(Brought::Waits) => None,
            Some(Brought::Here) => {
                let far = self.far(id);
                far.gets.push(arrival);
                far.given += u32::from(far.slot.is_some());
                Some(far.slot.ok_or_else(|| Error::state(format!("datum {id} has no bytes here"))))
            }
            Some(Brought::Never) | None => {
                self.state.brought.remove(&arrival);
                let failure = self.state.far.get_mut(&id).and_then(|far| far.failure.take());
                let (code, text) = failure.unwrap_or_else(|| poisoned(id));
                self.tidy(id);
                Some(Err(Error::new(code, text)))
            }
        }
    }
}

impl Remote {
    /// Waits until the bytes of a far datum are here.
    pub(super) fn bring_bytes(&self, call: &Call, id: DatumId) -> Result<DatumId, Error> {
        let arrival = match self.step(call, |step| step.begin_to_bring(id))? {
            Ok(slot) => return Ok(slot),
            Err(arrival) => arrival,
        };
        if let Some(found) = self.step(call, |step| step.brought(id, arrival)) {
            return found;
        }
        call.while_blocked(|| self.wait_until(call, EAGER, |step| step.brought(id, arrival)))
    }
}
