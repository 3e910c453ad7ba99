//! From a message to a task: what came is checked, and waits for claims, bytes and promises.

use smallvec::SmallVec;

use super::runs::{ArrivedTask, RunArgument, Use};
use super::state::{EarlyGrant, Handled, Step, index};
use crate::data::{DatumId, STORE};
use crate::error::{Error, dvm_retcode_t};
use crate::id::{IdMap, ProcessId, ProcessingId};
use crate::processing::{Mode, Signature};
use crate::protocol::Breach;
use crate::protocol::copies::{Arrival, Input, Known};
use crate::protocol::loans::HolderEvent;
use crate::protocol::tasks::ClaimState;
use crate::wire::{ClaimMessage, DatumAt, How, TaskMessage};

/// The arguments of a task that has come: with few, no memory is allocated.
pub(super) type ArrivingArguments<'a> = SmallVec<[ArrivingArgument<'a>; 4]>;

/// Up to this number of arguments, each is compared with all before it.
const FEW: usize = 8;

/// A task that has come.
pub(super) struct Arriving<'a> {
    pub(super) from: ProcessId,
    pub(super) sequence: u32,
    pub(super) worker: Option<u16>,
    /// The processing as it is registered here, or why it is not.
    pub(super) signature: Result<&'static Signature, Error>,
    /// The processing, if its code is on its way here.
    pub(super) code: Option<ProcessingId>,
    pub(super) arguments: ArrivingArguments<'a>,
}

/// An argument of it.
pub(super) enum ArrivingArgument<'a> {
    Input { id: DatumId, size: u64, known: Known, bytes: Option<&'a [u8]>, last: bool },
    Output { id: DatumId, size: u64, next: Option<usize> },
    Claimed { id: DatumId },
}

impl ArrivingArgument<'_> {
    fn is_input(&self) -> bool {
        matches!(self, ArrivingArgument::Input { .. })
    }

    fn mode(&self) -> Mode {
        if self.is_input() { Mode::In } else { Mode::Out }
    }
}

impl Step<'_> {
    /// A task has come from another process.
    pub(super) fn task(&mut self, from: ProcessId, message: &TaskMessage<'_>) -> Handled {
        self.check_arguments(from, message)?;
        let worker = if message.near { None } else { Some(self.own_worker(from, message.worker)?) };
        let signature = self.function_of(message.processing);
        let carries_on = message.arguments.iter().any(|argument| matches!(argument.how, How::Next(_)));
        let sizes: Vec<u64> = message.arguments.iter().filter(|_| carries_on).map(|argument| argument.size).collect();
        let arguments = message.arguments.iter().map(|argument| {
            let (id, at, size, last) = (argument.datum.id, argument.datum.at, argument.size, argument.last);
            let input = |known, bytes| ArrivingArgument::Input { id, size, known, bytes, last };
            match argument.how {
                How::Promised => input(Known::Promised, None),
                How::There => input(Known::At(at), None),
                How::Inline(bytes) => input(Known::Here(at), Some(bytes)),
                How::Output => ArrivingArgument::Output { id, size, next: None },
                How::Next(of) => {
                    let of = of as usize;
                    ArrivingArgument::Output { id, size: sizes.get(of).copied().unwrap_or(0), next: Some(of) }
                }
                How::Claimed => ArrivingArgument::Claimed { id },
            }
        });
        let arguments: ArrivingArguments<'_> = arguments.collect();
        if let Ok(signature) = &signature {
            let fits = arguments.len() == signature.count
                && arguments.iter().enumerate().all(|(place, argument)| argument.mode() == signature.mode(place));
            if !fits {
                return Err(Breach::new(from, "its task has other arguments than the processing"));
            }
        }
        let code = Some(message.processing).filter(|id| self.awaits_code(*id));
        self.arrive(&Arriving { from, sequence: message.sequence, worker, signature, code, arguments })
    }

    /// What a task of this sender may say of its arguments: processes and inputs that exist, outputs that are its own or claimed,
    /// and no output that is another argument as well.
    fn check_arguments(&mut self, from: ProcessId, message: &TaskMessage<'_>) -> Handled {
        let count = self.state.sent.len() as u64;
        let mut uses: IdMap<DatumId, bool> = IdMap::default();
        let few = message.arguments.len() <= FEW;
        for (place, argument) in message.arguments.iter().enumerate() {
            let DatumAt { id, at } = argument.datum;
            if at.index() >= count || id.home().index() >= count {
                return Err(Breach::new(from, "its task speaks of a process that does not exist"));
            }
            if argument.is_input() && id.is_here() && self.near(id).is_none() {
                return Err(Breach::new(from, "its task reads a datum that does not exist"));
            }
            let is_output = matches!(argument.how, How::Output | How::Next(_) | How::Claimed);
            let of_sender = matches!(argument.how, How::Output | How::Next(_)) || argument.last;
            if of_sender && id.home() != from {
                return Err(Breach::new(from, "its task has an output, or the last reference, of another process"));
            }
            let twice = if few {
                let mut before = message.arguments.iter().take(place).filter(|before| before.datum.id == id);
                before.any(|before| is_output || !before.is_input())
            } else {
                uses.insert(id, is_output).is_some_and(|before| before || is_output)
            };
            if twice {
                return Err(Breach::new(from, "its task has an output twice, or as an input"));
            }
        }
        Ok(())
    }

    /// The worker of this process with this number in the job.
    fn own_worker(&self, from: ProcessId, number: u32) -> Result<u16, Breach> {
        let home = self.call.home_of_number(number as usize);
        match home.filter(|home| ProcessId::from_index(home.process) == self.me()) {
            Some(home) => Ok(home.worker as u16),
            None => Err(Breach::new(from, "its task is for a worker that is not here")),
        }
    }

    /// A task is here, from another process or from this one.
    pub(super) fn arrive(&mut self, task: &Arriving<'_>) -> Handled {
        let (from, sequence, own) = (task.from, task.sequence, task.from == self.me());
        let arrival = self.state.number();
        let (mut run, mut inputs, mut holds) = (ArrivedTask::new(task), Vec::new(), 0);
        let claimed = |argument: &ArrivingArgument<'_>| match argument {
            ArrivingArgument::Claimed { id } => Some(*id),
            _ => None,
        };
        let claims: SmallVec<[DatumId; 4]> = task.arguments.iter().filter_map(claimed).collect();
        let private: SmallVec<[bool; 8]> = task.arguments.iter().map(|input| self.is_private(from, input)).collect();
        let withholds = |(input, private): &(&ArrivingArgument<'_>, &bool)| input.is_input() && !**private;
        let withheld = if own { 0 } else { task.arguments.iter().zip(&private).filter(withholds).count() as u32 };
        // What is refused leaves no trace: a task that was counted would be waited for.
        let state = self.state.received[index(from)].accept(from, sequence, withheld, &claims)?;
        if !own {
            self.call.count_scheduled();
        }
        self.drop_unclaimed(from, sequence, &claims);
        let mut poisoned = task.signature.is_err() && task.code.is_none();
        for (place, argument) in task.arguments.iter().enumerate() {
            match argument {
                ArrivingArgument::Input { id, bytes: Some(bytes), .. } if private[place] => {
                    self.arrive_private(&mut run, place, *id, bytes);
                }
                ArrivingArgument::Output { id, size, .. } => {
                    run.granted.push(*id);
                    if !id.is_here() {
                        let far = self.far(*id);
                        far.output.get_or_insert_default();
                        far.size = *size;
                    }
                }
                ArrivingArgument::Claimed { id } => run.claims.push(*id),
                ArrivingArgument::Input { id, size, known, bytes, .. } => {
                    if id.is_here() {
                        holds += u32::from(self.arrive_near(*id, arrival, own, &mut poisoned));
                    } else {
                        self.arrive_far(*id, (*size, *known), *bytes, own, &mut inputs)?;
                    }
                }
            }
        }
        run.poisoned = poisoned;
        self.take_early(&mut run);
        if !claims.is_empty() {
            self.state.by_sequence.insert((from, sequence), arrival);
        }
        holds += u32::from(state != ClaimState::Granted);
        if let Some(code) = task.code {
            self.wait_for_code(code, arrival);
            holds += 1;
        }
        if inputs.is_empty() && holds == 0 {
            self.start(run);
            return Ok(());
        }
        run.arrival = Some(arrival);
        self.state.runs.wait(arrival, run);
        self.copies(|copies, actions| copies.arrive(arrival, &inputs, holds, actions));
        for input in &inputs {
            self.drop_unwanted(input.id);
        }
        if state == ClaimState::Refused {
            self.refused(arrival);
        }
        self.refuse_lost_claims(arrival);
        Ok(())
    }

    /// Whether nothing needs to be noted of an input: nobody else here has anything to do with the datum, and its home hears
    /// of the task's end after all that the task does with it.
    fn is_private(&self, from: ProcessId, argument: &ArrivingArgument<'_>) -> bool {
        let ArrivingArgument::Input { id, bytes: Some(_), last: false, .. } = argument else { return false };
        id.home() == from && from != self.me() && !self.state.far.contains_key(id)
    }

    /// An input whose bytes are the task's own.
    fn arrive_private(&mut self, run: &mut ArrivedTask, place: usize, id: DatumId, bytes: &[u8]) {
        let before = run.arguments.iter().take(place).find(|before| before.id == id);
        let slot = match before.map(|before| before.usage) {
            Some(Use::Private { slot }) => {
                STORE.pin(slot);
                Ok(slot)
            }
            _ => self.call.storage_of(bytes).and_then(|storage| {
                let home = self.call.any_home();
                self.data(|cache| STORE.private(cache, bytes.len(), storage, home))
            }),
        };
        match slot {
            Ok(slot) => run.arguments[place].usage = Use::Private { slot },
            Err(error) => {
                run.arguments[place].usage = Use::Private { slot: DatumId::NONE };
                run.signature = Err(error);
            }
        }
    }

    /// An input of this process: says whether the task has to wait for it.
    fn arrive_near(&mut self, id: DatumId, arrival: Arrival, own: bool, poisoned: &mut bool) -> bool {
        if self.near(id).is_none() {
            *poisoned = true; // a defect of the sender, which holds a reference
            return false;
        }
        if !own {
            STORE.pin(id);
        }
        let outcome = STORE.marked(id).and_then(|found| found.outcome);
        *poisoned |= outcome == Some(crate::data::Outcome::Poisoned);
        if outcome.is_some() {
            return false;
        }
        if let Some(near) = self.state.near.get_mut(&id) {
            near.waiting.push(arrival);
        }
        self.request(id);
        true
    }

    /// An input of another process.
    fn arrive_far(
        &mut self,
        id: DatumId,
        (size, known): (u64, Known),
        bytes: Option<&[u8]>,
        own: bool,
        inputs: &mut Vec<Input>,
    ) -> Handled {
        if !own {
            self.holder_step(id, HolderEvent::Begin)?;
        }
        let far = self.far(id);
        far.size = far.size.max(size);
        let size = far.size;
        if inputs.iter().any(|input| input.id == id) {
            return Ok(());
        }
        self.state.records.traffic.hits += u64::from(self.state.copies.is_present(id));
        if let Some(bytes) = bytes {
            self.inline(id, bytes);
        }
        // Bytes that have no room here are asked for again, when there may be some.
        let known = match known {
            Known::Here(at) if self.state.far.get(&id).is_none_or(|far| far.slot.is_none()) => Known::At(at),
            Known::Promised if self.is_own_output(id) => Known::At(self.me()),
            known => known,
        };
        inputs.push(Input { id, size, known });
        Ok(())
    }

    /// What was granted for a task before it came, and is no output of it, will have no value.
    fn drop_unclaimed(&mut self, from: ProcessId, sequence: u32, claims: &[DatumId]) {
        let is_of_it = |early: &EarlyGrant| (early.scheduler, early.sequence) == (from, sequence);
        let unclaimed = |early: &EarlyGrant| is_of_it(early) && !claims.contains(&early.id);
        if !self.state.early.iter().any(unclaimed) {
            return;
        }
        let (never, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.state.early).into_iter().partition(unclaimed);
        self.state.early = others;
        for early in never {
            self.poison_output(early.id);
        }
    }

    /// Takes claims that were answered before the task came.
    fn take_early(&mut self, run: &mut ArrivedTask) {
        let (mine, others): (Vec<_>, Vec<_>) = std::mem::take(&mut self.state.early)
            .into_iter()
            .partition(|early| (early.scheduler, early.sequence) == (run.from, run.sequence));
        self.state.early = others;
        for early in mine {
            run.grant(early.id, early.size, early.carries);
        }
    }

    /// The home of an output has answered the claim of a task that runs here: with size and predecessor, if it grants.
    pub(super) fn claimed(&mut self, claim: &ClaimMessage, granted: Option<(u64, Option<DatumId>)>) -> Handled {
        let id = claim.id;
        if !self.state.membership.is_alive(claim.scheduler) {
            // The task did not run.
            self.produce_elsewhere(id, granted.is_some());
            if granted.is_some() {
                self.poison_output(id);
            }
            return Ok(());
        }
        let (from, sequence) = (claim.scheduler, claim.sequence);
        let arrival = self.state.by_sequence.get(&(from, sequence)).copied();
        let claims_it = |arrival| self.state.runs.waiting(arrival).is_some_and(|run| run.claims.contains(&id));
        if arrival.is_some_and(|arrival| !claims_it(arrival)) {
            // The task has not made it: its scheduler or this home lies, and nobody can say which of them.
            self.produce_elsewhere(id, granted.is_some());
            if granted.is_some() {
                self.poison_output(id);
            }
            return Ok(());
        }
        if arrival.is_none() && from == self.me() {
            return Err(Breach::new(id.home(), "it answers the claim of a task that this process has not scheduled"));
        }
        let state = match self.state.received[index(from)].claim(id, sequence, granted.is_some()) {
            Ok(state) => state,
            Err(breach) => {
                // No task makes it. A datum of another process goes with its home, which lies.
                if granted.is_some() && id.is_here() {
                    self.poison_output(id);
                }
                return Err(breach);
            }
        };
        self.produce_elsewhere(id, granted.is_some());
        let Some(arrival) = arrival else {
            if let Some((size, carries)) = granted {
                let early = EarlyGrant { scheduler: from, sequence, id, size, carries };
                self.state.early.push(early);
            }
            return Ok(());
        };
        if let Some(run) = self.state.runs.waiting_mut(arrival) {
            run.claims.retain(|claimed| *claimed != id);
            if let Some((size, carries)) = granted {
                run.grant(id, size, carries);
            }
        }
        match state {
            ClaimState::Waiting => {}
            ClaimState::Granted => self.copies(|copies, actions| copies.release(arrival, actions)),
            ClaimState::Refused => self.refused(arrival),
        }
        Ok(())
    }

    /// A task of this process produces a datum of another one, if its home has granted that.
    fn produce_elsewhere(&mut self, id: DatumId, granted: bool) {
        if granted && !id.is_here() {
            self.far(id).output.get_or_insert_default();
        }
    }

    /// An output of a task belongs to another one: the task fails without having run.
    fn refused(&mut self, arrival: Arrival) {
        self.copies(|copies, actions| copies.withdraw(arrival, actions));
        let Some(run) = self.state.runs.take(arrival) else { return };
        let text =
            format!("processing '{}' was not run: an output of it has a producer, or a value, already", run.name());
        self.fail(run, Error::new(dvm_retcode_t::DVM_ERR_STATE, text));
    }

    /// Homes that are lost answer no claim.
    pub(super) fn refuse_lost_claims(&mut self, arrival: Arrival) {
        let Some(run) = self.state.runs.waiting(arrival) else { return };
        let lost = |id: &&DatumId| !self.state.membership.is_alive(id.home());
        let unanswered: Vec<DatumId> = run.claims.iter().filter(lost).copied().collect();
        let (from, sequence) = (run.from, run.sequence);
        for id in unanswered {
            let Some(run) = self.state.runs.waiting_mut(arrival) else { return };
            run.claims.retain(|claimed| *claimed != id);
            let state = self.state.received[index(from)].claim(id, sequence, false);
            if state == Ok(ClaimState::Refused) {
                self.refused(arrival);
            }
        }
    }
}

impl ArrivedTask {
    fn new(task: &Arriving<'_>) -> ArrivedTask {
        let argument = |argument: &ArrivingArgument<'_>| match argument {
            ArrivingArgument::Input { id, size, last, .. } => {
                RunArgument { id: *id, usage: Use::Input { last: *last }, size: *size }
            }
            ArrivingArgument::Output { id, size, next } => {
                RunArgument { id: *id, usage: Use::Output { next: *next }, size: *size }
            }
            ArrivingArgument::Claimed { id } => RunArgument { id: *id, usage: Use::Output { next: None }, size: 0 },
        };
        ArrivedTask {
            from: task.from,
            sequence: task.sequence,
            arrival: None,
            adopted: false,
            worker: task.worker,
            signature: task.signature.clone(),
            arguments: task.arguments.iter().map(argument).collect(),
            claims: Vec::new(),
            granted: Vec::new(),
            poisoned: false,
        }
    }

    /// An output is the task's own, with this size; it carries on one of the inputs.
    fn grant(&mut self, id: DatumId, size: u64, carries: Option<DatumId>) {
        self.claims.retain(|claimed| *claimed != id);
        self.granted.push(id);
        let is_read = |argument: &RunArgument| argument.usage.is_read();
        let of = carries.and_then(|of| self.arguments.iter().position(|input| is_read(input) && input.id == of));
        for argument in self.arguments.iter_mut().filter(|argument| argument.id == id) {
            (argument.usage, argument.size) = (Use::Output { next: of }, size);
        }
    }
}
