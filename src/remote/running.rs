//! Tasks that run here: from the moment at which nothing is missing to their end.

use smallvec::{SmallVec, smallvec};

use super::runs::{ArrivedTask, RunArgument, Use};
use super::state::{Handled, Step, index};
use crate::data::{DatumId, Outcome, STORE, Storage};
use crate::engine::{SharedEnd, SharedTask};
use crate::error::{Error, dvm_retcode_t};
use crate::protocol::copies::Arrival;
use crate::protocol::loans::{HolderEvent, WithheldTask};
use crate::wire::{Done, EndState, TEXT_BYTES, cut};

/// The local slots of a task's arguments: with few, no memory is allocated.
type Slots = SmallVec<[DatumId; 8]>;

impl Step<'_> {
    /// Nothing is missing for a task that waited.
    pub(super) fn launch(&mut self, arrival: Arrival) {
        if let Some(run) = self.state.runs.take(arrival) {
            self.start(run);
        }
    }

    /// Nothing is missing for a task: the engine gets it.
    pub(super) fn start(&mut self, mut run: ArrivedTask) {
        let found = run.signature.clone().and_then(|signature| Ok((signature, self.slots_of(&mut run)?)));
        let (signature, slots) = match found {
            Ok(found) => found,
            Err(error) => return self.fail_to_start(run, error),
        };
        let (worker, poisoned) = (run.worker, run.poisoned);
        let number = self.state.runs.start(run);
        match self.call.make_shared(&SharedTask { signature, worker, slots: &slots, poisoned, number }) {
            Ok(task) => self.call.start_shared(task),
            Err(error) => {
                if let Some(run) = self.state.runs.end(number) {
                    self.fail_to_start(run, error);
                }
            }
        }
    }

    fn fail_to_start(&mut self, run: ArrivedTask, error: Error) {
        self.end_copies(run.arrival);
        self.fail(run, error);
    }

    /// A task that was ready needs its copies no longer.
    fn end_copies(&mut self, arrival: Option<Arrival>) {
        if let Some(arrival) = arrival {
            self.copies(|copies, actions| copies.end(arrival, actions));
        }
    }

    /// The local slots of a task's arguments, with what keeps them until the task has ended.
    fn slots_of(&mut self, run: &mut ArrivedTask) -> Result<Slots, Error> {
        let (own, arguments) = (run.from == self.me(), &run.arguments);
        let mut slots: Slots = smallvec![DatumId::NONE; arguments.len()];
        let mut unshared = Vec::new();
        for (place, argument) in arguments.iter().enumerate() {
            slots[place] = match argument.usage {
                Use::Output { .. } => continue,
                Use::Private { slot } => slot,
                Use::Input { .. } if argument.id.is_here() => argument.id,
                Use::Input { last } => {
                    let slot = self.state.far.get(&argument.id).and_then(|far| far.slot);
                    let Some(slot) = slot else {
                        return Err(Error::state(format!("datum {} has no bytes here", argument.id)));
                    };
                    if last && !own && self.state.copies.is_unshared(argument.id) {
                        unshared.push(argument.id);
                    }
                    slot
                }
            };
        }
        for (place, argument) in arguments.iter().enumerate() {
            if let Use::Output { next } = argument.usage {
                slots[place] = self.slot_of_output(argument, next.map(|of| slots[of]))?;
            }
        }
        // Nothing fails from here on.
        for (place, argument) in arguments.iter().enumerate() {
            if matches!(argument.usage, Use::Input { .. }) && !argument.id.is_here() {
                STORE.pin(slots[place]);
            }
        }
        for id in unshared {
            // The task's output takes the bytes over: they are no copy any longer.
            if let Some(arrival) = run.arrival {
                self.state.copies.take_over(arrival, id);
            }
            if let Some(far) = self.state.far.get_mut(&id) {
                far.output = None;
            }
            self.forget_slot(id);
        }
        Ok(slots)
    }

    /// The local slot of an output, which carries on the bytes in another slot or none.
    fn slot_of_output(&mut self, argument: &RunArgument, predecessor: Option<DatumId>) -> Result<DatumId, Error> {
        // What carries a datum on has its size, which was not known everywhere before.
        let carried = predecessor.and_then(|slot| STORE.marked(slot)).map(|found| found.size as u64);
        let size = carried.unwrap_or(argument.size);
        if !argument.id.is_here() {
            return self.output_slot(argument.id, size, predecessor);
        }
        let known = |of: &DatumId| Some(*of) == STORE.marked(argument.id).and_then(|found| found.predecessor);
        if let Some(of) = predecessor.filter(|of| !known(of)) {
            STORE.set_size(argument.id, size as usize);
            STORE.set_predecessor(argument.id, of);
        }
        Ok(argument.id)
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
    pub(super) fn ended(&mut self, number: u32, end: &SharedEnd) {
        let Some(run) = self.state.runs.end(number) else { return };
        self.end_copies(run.arrival);
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
            if id.is_here()
                || argument.usage.is_private()
                || self.state.far.get(&id).is_none_or(|far| far.size as usize > self.state.eager)
            {
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
        if run.arrival.is_some() {
            self.state.by_sequence.remove(&(from, sequence));
        }
        for argument in &run.arguments {
            let id = argument.id;
            match argument.usage {
                Use::Input { .. } => {}
                Use::Output { .. } => continue,
                Use::Private { slot } => {
                    if !dropped && slot != DatumId::NONE {
                        self.data(|cache| STORE.drop_taken(cache, slot));
                    }
                    continue;
                }
            }
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
        if own {
            let handled = self.done_here(sequence);
            return self.own(handled);
        }
        let outcome = parts.outcome.then_some(outcome);
        self.send_done(from, Done { sequence, before: 0, outcome, returns: parts.returns });
    }

    /// A task of this process's own has ended: its references are gone already.
    fn done_here(&mut self, sequence: u32) -> Handled {
        let me = self.me();
        self.state.sent[index(me)].done(me, (sequence, 0), (true, true), &mut |_| {})
    }

    /// A task will not run, because of this.
    pub(super) fn fail(&mut self, run: ArrivedTask, error: Error) {
        let (name, me) = (run.name(), self.me());
        self.call.count_failure(|| {
            if error.message().contains("processing '") {
                error.message().to_owned()
            } else {
                format!("processing '{name}' could not start: {} in process {me}", error.message())
            }
        });
        self.end_unrun(run, &SharedEnd::Failure(error));
    }

    /// A task that waits will not run, because an input has no value.
    pub(super) fn cancel(&mut self, arrival: Arrival) {
        self.call.count_cancelled();
        if let Some(run) = self.state.runs.take(arrival) {
            self.end_unrun(run, &SharedEnd::Cancelled);
        }
    }

    /// A task ends that has not run.
    #[expect(clippy::needless_pass_by_value, reason = "it is nobody's any longer")]
    fn end_unrun(&mut self, run: ArrivedTask, end: &SharedEnd) {
        for id in &run.granted {
            self.poison_output(*id);
        }
        if let Some(arrival) = run.arrival {
            for near in self.state.near.values_mut() {
                near.waiting.retain(|waiting| *waiting != arrival);
            }
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
    pub(super) fn name(&self) -> &str {
        self.signature.as_ref().map_or("", |signature| signature.description)
    }
}
