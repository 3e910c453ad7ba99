//! Tasks that run here: from the moment at which nothing is missing to their end.

use super::state::{ArrivedTask, Handled, Step, Use, index};
use crate::data::{DatumId, Outcome, STORE, Storage};
use crate::engine::{SharedEnd, SharedTask};
use crate::error::{Error, dvm_retcode_t};
use crate::protocol::copies::Arrival;
use crate::protocol::loans::{HolderEvent, WithheldTask};
use crate::wire::{Done, EndState, Message, TEXT_BYTES, cut};

impl Step<'_> {
    /// Nothing is missing for a task: the engine gets it.
    pub(super) fn launch(&mut self, arrival: Arrival) {
        let Some(run) = self.state.runs.get(&arrival) else { return };
        let signature = match &run.signature {
            Ok(signature) => *signature,
            Err(error) => {
                let error = error.clone();
                self.copies(|copies, actions| copies.end(arrival, actions));
                return self.fail(arrival, error);
            }
        };
        let (worker, poisoned, own) = (run.worker, run.poisoned, run.from == self.me());
        let made = self.slots_of(arrival, own).and_then(|slots| {
            let task = SharedTask { signature, worker, slots: &slots, poisoned };
            self.call.make_shared(&task)
        });
        match made {
            Ok(task) => {
                self.state.tasks.insert(task.address(), arrival);
                self.call.start_shared(task);
            }
            Err(error) => {
                self.copies(|copies, actions| copies.end(arrival, actions));
                self.fail(arrival, error);
            }
        }
    }

    /// The local slots of a task's arguments, with what keeps them until the task has ended.
    fn slots_of(&mut self, arrival: Arrival, own: bool) -> Result<Vec<DatumId>, Error> {
        let Some(run) = self.state.runs.get(&arrival) else { return Ok(Vec::new()) };
        let arguments = run.arguments.clone();
        let mut slots = vec![DatumId::NONE; arguments.len()];
        let mut unshared = Vec::new();
        for (place, argument) in arguments.iter().enumerate() {
            let Use::Input { last } = argument.usage else { continue };
            slots[place] = argument.id;
            if argument.id.is_here() {
                continue;
            }
            let slot = self.state.far.get(&argument.id).and_then(|far| far.slot);
            let Some(slot) = slot else {
                return Err(Error::state(format!("datum {} has no bytes here", argument.id)));
            };
            slots[place] = slot;
            if last && !own && self.state.copies.is_unshared(argument.id) {
                unshared.push(argument.id);
            }
        }
        for (place, argument) in arguments.iter().enumerate() {
            let Use::Output { next } = argument.usage else { continue };
            let predecessor = next.map(|of| slots[of]);
            // What carries a datum on has its size, which was not known everywhere before.
            let carried = predecessor.and_then(|slot| STORE.marked(slot)).map(|found| found.size as u64);
            let size = carried.unwrap_or(argument.size);
            slots[place] = if argument.id.is_here() {
                if let Some(of) =
                    predecessor.filter(|of| Some(*of) != STORE.marked(argument.id).and_then(|found| found.predecessor))
                {
                    STORE.set_size(argument.id, size as usize);
                    STORE.set_predecessor(argument.id, of);
                }
                argument.id
            } else {
                self.output_slot(argument.id, size, predecessor)?
            };
        }
        // Nothing fails from here on.
        for (place, argument) in arguments.iter().enumerate() {
            if matches!(argument.usage, Use::Input { .. }) && !argument.id.is_here() {
                STORE.pin(slots[place]);
            }
        }
        for id in unshared {
            // The task's output takes the bytes over: they are no copy any longer.
            self.state.copies.take_over(arrival, id);
            if let Some(far) = self.state.far.get_mut(&id) {
                far.output = None;
            }
            self.forget_slot(id);
        }
        Ok(slots)
    }

    /// The local slot of an output with another home.
    fn output_slot(&mut self, id: DatumId, size: u64, predecessor: Option<DatumId>) -> Result<DatumId, Error> {
        let storage = predecessor.map_or(Storage::Absent, |of| Storage::Successor { of: of.number() });
        let home = self.call.any_home();
        let slot = self.data(|cache| STORE.proxy(cache, size as usize, storage, false, home))?;
        self.state.slots.insert(slot, id);
        let far = self.far(id);
        (far.slot, far.size) = (Some(slot), size);
        Ok(slot)
    }

    /// A task has ended here. Its outputs were published or poisoned before, and its local references dropped.
    pub(super) fn ended(&mut self, arrival: Arrival, end: &SharedEnd) {
        self.copies(|copies, actions| copies.end(arrival, actions));
        let Some(run) = self.state.runs.remove(&arrival) else { return };
        let outcome = match end {
            SharedEnd::Success => EndState::Success,
            SharedEnd::Failure(error) => EndState::Failure(error.code(), cut(error.message(), TEXT_BYTES)),
            SharedEnd::Cancelled => EndState::Cancelled(dvm_retcode_t::DVM_ERR_POISONED, "an input is poisoned"),
        };
        self.give_back(&run, outcome, true);
        self.forget_small(&run);
    }

    /// Copies of small data go with their task: their bytes come along with the next one.
    fn forget_small(&mut self, run: &ArrivedTask) {
        for argument in &run.arguments {
            let id = argument.id;
            if id.is_here() || self.state.far.get(&id).is_none_or(|far| far.size as usize > self.state.eager) {
                continue;
            }
            if self.state.copies.drop_copy(id) && self.state.far.get(&id).is_some_and(|far| far.output.is_none()) {
                self.forget_slot(id);
            }
            self.tidy(id);
        }
    }

    /// The references of a task that has ended go back, and its scheduler hears of it. `dropped`: those of the local
    /// slots are gone already.
    fn give_back(&mut self, run: &ArrivedTask, outcome: EndState<'_>, dropped: bool) {
        let (me, from, sequence) = (self.me(), run.from, run.sequence);
        let own = from == me;
        self.state.by_sequence.remove(&(from, sequence));
        let inputs = run.arguments.iter().filter(|argument| matches!(argument.usage, Use::Input { .. }));
        for id in inputs.map(|argument| argument.id).collect::<Vec<_>>() {
            if id.is_here() {
                if !dropped {
                    self.data(|cache| STORE.drop_taken(cache, id));
                }
                if !own && !run.adopted {
                    // `end`, below, gives the returns.
                    let _ = self.state.received[index(from)].release(sequence);
                }
                self.try_free(id);
            } else if own || run.adopted {
                self.release(id);
            } else {
                let ended = self.holder_step(id, HolderEvent::End(WithheldTask { from, sequence }));
                self.own(ended);
            }
        }
        if run.adopted {
            return;
        }
        let Some(parts) = self.state.received[index(from)].end(sequence) else { return };
        let outcome = parts.outcome.then_some(outcome);
        let done = Done { sequence, before: 0, outcome, returns: parts.returns };
        if own {
            let handled = self.done_here(sequence);
            return self.own(handled);
        }
        self.send(from, &Message::Done(done));
    }

    /// A task of this process's own has ended: its references are gone already.
    fn done_here(&mut self, sequence: u32) -> Handled {
        let me = self.me();
        self.state.sent[index(me)].done(me, (sequence, 0), (true, true), &mut |_| {})
    }

    /// A task will not run, because of this.
    pub(super) fn fail(&mut self, arrival: Arrival, error: Error) {
        let name = self.state.runs.get(&arrival).map_or("", |run| run.name()).to_owned();
        let me = self.me();
        self.call.count_failure(|| {
            if error.message().contains("processing '") {
                error.message().to_owned()
            } else {
                format!("processing '{name}' could not start: {} in process {me}", error.message())
            }
        });
        self.end_unrun(arrival, &SharedEnd::Failure(error));
    }

    /// A task will not run, because an input has no value.
    pub(super) fn cancel(&mut self, arrival: Arrival) {
        self.call.count_cancelled();
        self.end_unrun(arrival, &SharedEnd::Cancelled);
    }

    /// A task ends that has not run.
    fn end_unrun(&mut self, arrival: Arrival, end: &SharedEnd) {
        let Some(run) = self.state.runs.remove(&arrival) else { return };
        for id in run.granted.clone() {
            self.poison_output(id);
        }
        for near in self.state.near.values_mut() {
            near.waiting.retain(|waiting| *waiting != arrival);
        }
        let outcome = match end {
            SharedEnd::Failure(error) => EndState::Failure(error.code(), cut(error.message(), TEXT_BYTES)),
            _ => EndState::Cancelled(dvm_retcode_t::DVM_ERR_POISONED, "an input is poisoned"),
        };
        self.give_back(&run, outcome, false);
        self.call.count_ended_elsewhere();
    }

    /// An output of a task that has not run will have no value.
    pub(super) fn poison_output(&mut self, id: DatumId) {
        if id.is_here() {
            self.arrived(id, None);
            return self.try_free(id);
        }
        self.far(id).output.get_or_insert_default();
        let slot = self.state.far.get(&id).and_then(|far| far.slot).unwrap_or(DatumId::NONE);
        self.settle_output(id, slot, Outcome::Poisoned);
    }
}

impl ArrivedTask {
    fn name(&self) -> &str {
        self.signature.as_ref().map_or("", |signature| signature.description)
    }
}
