//! From a call to a message: a task takes its references, claims its outputs, and goes to the process that runs it.

use smallvec::SmallVec;

use super::arriving::{Arriving, ArrivingArgument, ArrivingArguments};
use super::state::{BytesPlace, PendingTask, SentTask, Step, TaskCall, Want, index};
use crate::data::names::in_words;
use crate::data::{DatumId, Readiness, STORE};
use crate::engine::{Target, wrong_count};
use crate::error::{Error, dvm_retcode_t};
use crate::id::{ProcessId, ProcessingId};
use crate::processing::Signature;
use crate::protocol::copies::Known;
use crate::wire::{Argument, Arguments, BatchHead, ClaimMessage, DatumAt, How, Message, TaskMessage};

/// The most bytes that go with one task.
const MOST_INLINE_BYTES: usize = 16 << 10;

/// The most arguments of a task that goes to another process: one message has them all, of 24 bytes each.
const MOST_ARGUMENTS: usize = (BatchHead::LONGEST - MOST_INLINE_BYTES - 64) / 24;

/// What a task of another process is told of an argument.
struct Told {
    at: ProcessId,
    size: u64,
    how: ToldHow,
    last: bool,
}

enum ToldHow {
    Promised,
    There,
    Inline(SmallVec<[u8; 32]>),
    Output,
    Claimed,
    Next(u32),
}

impl Step<'_> {
    /// Schedules a task that another process runs, or that uses data of others.
    pub(super) fn schedule(
        &mut self,
        target: Target,
        (function, signature): (ProcessingId, &'static Signature),
        ids: &[DatumId],
    ) -> Result<(), Error> {
        if ids.len() != signature.count {
            return Err(wrong_count(signature, ids.len()));
        }
        if ids.len() > MOST_ARGUMENTS {
            let text = format!("a task that other processes take part in has at most {MOST_ARGUMENTS} arguments");
            return Err(Error::argument(text));
        }
        let target = self.placed(target);
        if let Target::Worker(home) = target {
            self.check_alive(ProcessId::from_index(home.process))?;
        }
        for id in ids {
            self.call.far_or_here(*id)?;
            self.check_alive(id.home())?;
        }
        self.check_outputs(signature, ids)?;
        self.claim_own(signature, ids)?;
        if let Err(error) = take_own(signature, ids) {
            self.unclaim_own(signature, ids, ids.len());
            return Err(error);
        }
        self.call.count_scheduled();
        let far: Vec<DatumId> = signature.inputs().map(|place| ids[place]).filter(|id| !id.is_here()).collect();
        if far.is_empty() && matches!(target, Target::Worker(_)) {
            self.dispatch(TaskCall { target, function, signature, ids, places: &[], granted: &[] });
            return Ok(());
        }
        let task = PendingTask {
            target,
            function,
            signature,
            ids: ids.to_vec(),
            missing: far.len() + 1,
            located: false,
            places: Vec::new(),
            granted: Vec::new(),
            denied: None,
        };
        let number = self.state.number();
        self.state.pending.insert(number, task);
        for id in far {
            self.want(id, Want::Task(number));
        }
        self.asked(number);
        Ok(())
    }

    /// An output is no input, and what it carries on is one.
    fn check_outputs(&self, signature: &Signature, ids: &[DatumId]) -> Result<(), Error> {
        for place in signature.outputs() {
            let id = ids[place];
            let reads = |id: DatumId| signature.inputs().any(|input| ids[input] == id);
            if reads(id) {
                return Err(Error::state(format!(
                    "{} is an input and an output of one task, which would wait for itself",
                    in_words(id)
                )));
            }
            if signature.outputs().any(|other| other < place && ids[other] == id) {
                return Err(Error::state(format!("{} is the output of a task twice", in_words(id))));
            }
            let predecessor = if id.is_here() { self.predecessor(id) } else { None };
            if let Some(predecessor) = predecessor.filter(|predecessor| !reads(*predecessor)) {
                let text = format!(
                    "{} carries on {}, which the task must read to have it as an output",
                    in_words(id),
                    in_words(predecessor)
                );
                return Err(Error::state(text));
            }
        }
        Ok(())
    }

    /// What a promise of this process carries on.
    pub(super) fn predecessor(&self, id: DatumId) -> Option<DatumId> {
        let near = self.state.near.get(&id).and_then(|near| near.carries);
        near.or_else(|| STORE.marked(id).and_then(|found| found.predecessor))
    }

    fn claim_own(&mut self, signature: &Signature, ids: &[DatumId]) -> Result<(), Error> {
        for place in signature.outputs().filter(|place| ids[*place].is_here()) {
            if let Err(error) = STORE.claim_away(ids[place]) {
                self.unclaim_own(signature, ids, place);
                return Err(error);
            }
        }
        Ok(())
    }

    fn unclaim_own(&mut self, signature: &Signature, ids: &[DatumId], before: usize) {
        for place in signature.outputs().filter(|place| *place < before && ids[*place].is_here()) {
            self.data(|cache| STORE.unclaim_away(cache, ids[place]));
        }
    }

    /// A reference for a task that is being scheduled has come, or does not exist.
    pub(super) fn granted(&mut self, number: u64, id: DatumId, granted: bool) {
        if let Some(task) = self.state.pending.get_mut(&number) {
            if granted {
                task.granted.push(id);
            } else {
                task.denied.get_or_insert(id);
            }
        }
        self.asked(number);
    }

    /// One thing less is missing for a task that is being scheduled.
    fn asked(&mut self, number: u64) {
        let Some(task) = self.state.pending.get_mut(&number) else { return };
        task.missing -= 1;
        if task.missing > 0 || self.locate(number) {
            return;
        }
        if let Some(task) = self.state.pending.remove(&number) {
            match task.denied {
                None => self.dispatch(task.call()),
                Some(denied) => {
                    let (name, home) = (task.signature.description, denied.home());
                    self.refuse(task.call(), dvm_retcode_t::DVM_ERR_NO_REFERENCE, || {
                        format!(
                            "processing '{name}' was not run: datum {denied} has no reference left in process {home}, \
                             or does not exist any more"
                        )
                    });
                }
            }
        }
    }

    /// A near task waits until it is known where its inputs are; says whether it does.
    fn locate(&mut self, number: u64) -> bool {
        let Some(task) = self.state.pending.get_mut(&number) else { return false };
        if task.target != Target::Near || task.denied.is_some() || std::mem::replace(&mut task.located, true) {
            return false;
        }
        let inputs: Vec<DatumId> = task.signature.inputs().map(|place| task.ids[place]).collect();
        let mut missing: Vec<DatumId> = inputs.into_iter().filter(|id| !self.is_located(*id)).collect();
        missing.sort_unstable();
        missing.dedup();
        if let Some(task) = self.state.pending.get_mut(&number) {
            task.missing = missing.len();
        }
        for id in &missing {
            self.state.locating.entry(*id).or_default().push(number);
            if !id.is_here() {
                let me = self.me();
                self.send(id.home(), &Message::Subscribe(DatumAt { id: *id, at: me }));
            }
        }
        !missing.is_empty()
    }

    /// Whether it is known where the bytes of a datum are, or that there will be none.
    fn is_located(&mut self, id: DatumId) -> bool {
        if !id.is_here() {
            let known =
                self.state.copies.place(id).is_some() && self.state.far.get(&id).is_some_and(|far| far.size > 0);
            return known || self.is_own_output(id);
        }
        let Some(near) = self.near(id) else { return true };
        near.promise.is_settled() || STORE.marked(id).is_none_or(|found| found.outcome.is_some())
    }

    /// Near tasks go on whose last input was located.
    pub(super) fn dispatch_located(&mut self) {
        while let Some(id) = self.state.located.pop() {
            let hint = self.state.hints.remove(&id);
            for number in self.state.locating.remove(&id).into_iter().flatten() {
                if let (Some((at, size)), Some(task)) = (hint, self.state.pending.get_mut(&number)) {
                    task.places.push((id, at, size));
                }
                self.asked(number);
            }
        }
    }

    /// After a loss nobody may say where data are: near tasks go without knowing.
    pub(super) fn stop_locating(&mut self) {
        self.state.located.extend(self.state.locating.keys());
    }

    /// A task that was accepted cannot run after all: it fails.
    pub(super) fn refuse(&mut self, task: TaskCall<'_>, code: dvm_retcode_t, text: impl FnOnce() -> String) {
        let error = Error::new(code, text());
        for place in task.signature.inputs().filter(|place| task.ids[*place].is_here()) {
            self.release(task.ids[place]);
        }
        for &id in task.granted {
            self.release(id);
        }
        let (here, far): (Vec<DatumId>, Vec<DatumId>) =
            task.signature.outputs().map(|place| task.ids[place]).partition(|id| id.is_here());
        for id in here {
            self.arrived(id, None);
            self.try_free(id);
        }
        if far.is_empty() {
            self.call.count_failure(|| error.message().to_owned());
            return self.call.count_ended_elsewhere();
        }
        self.fail_with_outputs(task, &far, error);
    }

    /// A task fails here that has outputs of other homes: it claims them, as nobody else may produce them, and poisons
    /// them.
    fn fail_with_outputs(&mut self, task: TaskCall<'_>, outputs: &[DatumId], error: Error) {
        let me = self.me();
        let sent = SentTask { description: task.signature.description, inputs: SmallVec::new(), again: None };
        let sequence = self.state.sent[index(me)].send(sent);
        for &id in outputs {
            let claim = ClaimMessage { id, scheduler: me, sequence, runner: me };
            self.send(id.home(), &Message::Claim(claim));
        }
        let arguments: ArrivingArguments<'_> = outputs.iter().map(|&id| ArrivingArgument::Claimed { id }).collect();
        let handled =
            self.arrive(&Arriving { from: me, sequence, worker: None, signature: Err(error), code: None, arguments });
        self.own(handled);
    }

    /// The process that runs a task.
    fn runner(&self, task: TaskCall<'_>) -> ProcessId {
        match task.target {
            Target::Worker(home) => ProcessId::from_index(home.process),
            Target::Near => self.nearest(task),
        }
    }

    /// The process that has most of the input bytes of a task, as far as this one knows; itself among equals.
    fn nearest(&self, task: TaskCall<'_>) -> ProcessId {
        let mut weights = vec![0_u64; self.state.sent.len()];
        for place in task.signature.inputs() {
            let id = task.ids[place];
            let (at, size) = self.whereabouts(task, id);
            if let Some(weight) = weights.get_mut(index(at)).filter(|_| self.state.membership.is_alive(at)) {
                *weight += size;
            }
        }
        let me = self.me();
        let heaviest = (0..weights.len()).max_by_key(|&at| (weights[at], at == index(me))).unwrap_or(0);
        if weights[heaviest] == 0 { me } else { ProcessId::from_index(heaviest as u32) }
    }

    /// Where the bytes of a datum are, as far as this process knows, and how many there are.
    fn whereabouts(&self, task: TaskCall<'_>, id: DatumId) -> (ProcessId, u64) {
        if id.is_here() {
            let size = STORE.size(id).unwrap_or(0) as u64;
            return match self.state.near.get(&id).map(|near| near.place) {
                Some(BytesPlace::Away(at)) => (at, size),
                _ => (self.me(), size),
            };
        }
        if let Some((_, at, size)) = task.places.iter().find(|(told, ..)| *told == id) {
            return (*at, *size);
        }
        let far = self.state.far.get(&id);
        let at =
            if far.is_some_and(|far| far.output.is_some()) { Some(self.me()) } else { self.state.copies.place(id) };
        (at.unwrap_or(id.home()), far.map_or(0, |far| far.size).max(1))
    }

    /// A task has its references: it goes to its runner.
    pub(super) fn dispatch(&mut self, task: TaskCall<'_>) {
        let (me, runner) = (self.me(), self.runner(task));
        if !self.state.membership.is_alive(runner) {
            let target = self.placed(task.target);
            if target != task.target {
                return self.dispatch(TaskCall { target, ..task });
            }
            let name = task.signature.description;
            return self.refuse(task, dvm_retcode_t::DVM_ERR_PEER_LOST, || {
                format!("processing '{name}' was not run: process {runner} is lost")
            });
        }
        let inputs = task.signature.inputs().map(|place| task.ids[place]).collect();
        let again = self.may_send_again(task, runner);
        let sent = SentTask { description: task.signature.description, inputs, again };
        let sequence = self.state.sent[index(runner)].send(sent);
        let mut needers = Vec::new();
        for place in task.signature.outputs() {
            let id = task.ids[place];
            if !id.is_here() {
                let claim = ClaimMessage { id, scheduler: me, sequence, runner };
                self.send(id.home(), &Message::Claim(claim));
            } else if (runner != me || self.state.near.contains_key(&id))
                && let Some(near) = self.near(id)
            {
                near.producer = (runner != me).then_some(runner);
                needers.extend(near.promise.claim(me, runner).map(|needers| (id, needers)));
            }
        }
        if runner == me {
            let arriving = self.own_task(task, sequence);
            let handled = self.arrive(&arriving);
            return self.own(handled);
        }
        let start = self.stamp();
        let told = self.tell_arguments(task, runner);
        self.announce(task.function, task.signature, runner);
        let arguments: SmallVec<[Argument<'_>; 4]> =
            task.ids.iter().zip(&told).map(|(id, told)| argument(*id, told)).collect();
        let (near, worker) = match task.target {
            Target::Worker(home) => (false, self.call.number_of(home)),
            Target::Near => (true, 0),
        };
        let processing = task.function;
        let arguments = Arguments::of(&arguments);
        self.send(runner, &Message::Task(TaskMessage { sequence, near, processing, worker, arguments }));
        self.record_task(start, runner, sequence, task.signature.description);
        for (id, needers) in needers {
            self.pass_on(id, &needers, runner);
        }
    }

    /// What the runner of a task is told of each argument.
    fn tell_arguments(&mut self, task: TaskCall<'_>, runner: ProcessId) -> SmallVec<[Told; 4]> {
        let me = self.me();
        let mut inline = 0;
        let mut all = SmallVec::new();
        for (place, &id) in task.ids.iter().enumerate() {
            let is_output = task.signature.outputs().any(|output| output == place);
            let told = if is_output {
                self.tell_output_argument(task, id)
            } else if id.is_here() {
                self.tell_near_input(task, id, runner, &mut inline)
            } else {
                let size = self.state.far.get(&id).map_or(0, |far| far.size);
                match self.state.copies.place(id).or_else(|| self.is_own_output(id).then_some(me)) {
                    Some(at) => Told { at, size, how: ToldHow::There, last: false },
                    None => Told { at: id.home(), size: 0, how: ToldHow::Promised, last: false },
                }
            };
            all.push(told);
        }
        all
    }

    fn tell_output_argument(&self, task: TaskCall<'_>, id: DatumId) -> Told {
        if !id.is_here() {
            return Told { at: id.home(), size: 0, how: ToldHow::Claimed, last: false };
        }
        let predecessor = self.predecessor(id);
        let of = predecessor.and_then(|of| task.signature.inputs().find(|&input| task.ids[input] == of));
        let size = STORE.size(id).unwrap_or(0) as u64;
        match of {
            Some(of) => Told { at: self.me(), size: 0, how: ToldHow::Next(of as u32), last: false },
            None => Told { at: self.me(), size, how: ToldHow::Output, last: false },
        }
    }

    fn tell_near_input(&mut self, task: TaskCall<'_>, id: DatumId, runner: ProcessId, inline: &mut usize) -> Told {
        let me = self.me();
        let last = self.is_last(task, id);
        let size = STORE.size(id).unwrap_or(0);
        if self.near(id).is_none() {
            return Told { at: me, size: 0, how: ToldHow::Promised, last: false };
        }
        self.take_in(id);
        let place = self.state.near.get(&id).map(|near| near.place);
        match place {
            Some(BytesPlace::Here)
                if size <= self.state.eager && *inline + size.next_multiple_of(8) <= MOST_INLINE_BYTES =>
            {
                let Some(lent) = self.data(|cache| STORE.lend(cache, id)) else {
                    return Told { at: me, size: 0, how: ToldHow::Promised, last: false };
                };
                let bytes = SmallVec::from_slice(lent.as_ref());
                drop(lent);
                *inline += size.next_multiple_of(8);
                Told { at: me, size: size as u64, how: ToldHow::Inline(bytes), last }
            }
            Some(BytesPlace::Away(at)) if !matches!(STORE.readiness(id), Readiness::Published { .. }) => {
                if last && at == runner {
                    // The task changes the only bytes: nobody may get at them from here.
                    STORE.carry_away(id);
                }
                Told { at, size: size as u64, how: ToldHow::There, last }
            }
            Some(BytesPlace::Here | BytesPlace::Away(_)) => {
                Told { at: me, size: size as u64, how: ToldHow::There, last }
            }
            _ => Told { at: me, size: 0, how: ToldHow::Promised, last },
        }
    }

    /// Whether a task takes the last reference of a datum of this process, which one of its outputs carries on.
    fn is_last(&self, task: TaskCall<'_>, id: DatumId) -> bool {
        let carried = task
            .signature
            .outputs()
            .any(|output| task.ids[output].is_here() && self.predecessor(task.ids[output]) == Some(id));
        let once = task.signature.inputs().filter(|&input| task.ids[input] == id).count() == 1;
        let lent = self.state.near.get(&id).is_some_and(|near| !near.loans.lent().is_empty());
        carried
            && once
            && !lent
            && !self.recovers()
            && STORE.with_references(id, |available, taken| (*available, *taken)) == Some((0, 1))
    }

    /// A task that this process runs itself, as if it had come from another one.
    fn own_task<'a>(&mut self, task: TaskCall<'_>, sequence: u32) -> Arriving<'a> {
        let me = self.me();
        let arguments = task.ids.iter().enumerate().map(|(place, &id)| {
            if task.signature.inputs().any(|input| input == place) {
                return ArrivingArgument::Input { id, size: 0, known: Known::Promised, bytes: None, last: false };
            }
            if !id.is_here() {
                return ArrivingArgument::Claimed { id };
            }
            let next = self.predecessor(id).and_then(|of| task.signature.inputs().find(|&input| task.ids[input] == of));
            ArrivingArgument::Output { id, size: STORE.size(id).unwrap_or(0) as u64, next }
        });
        let arguments = arguments.collect();
        let worker = match task.target {
            Target::Worker(home) => Some(home.worker as u16),
            Target::Near => None,
        };
        Arriving { from: me, sequence, worker, signature: Ok(task.signature), code: None, arguments }
    }
}

fn argument(id: DatumId, told: &Told) -> Argument<'_> {
    let how = match &told.how {
        ToldHow::Promised => How::Promised,
        ToldHow::There => How::There,
        ToldHow::Inline(bytes) => How::Inline(bytes),
        ToldHow::Output => How::Output,
        ToldHow::Claimed => How::Claimed,
        ToldHow::Next(of) => How::Next(*of),
    };
    Argument { datum: DatumAt { id, at: told.at }, size: told.size, how, last: told.last }
}

/// Takes the references of the inputs of this process, or none.
fn take_own(signature: &Signature, ids: &[DatumId]) -> Result<(), Error> {
    let mut taken: Vec<DatumId> = Vec::new();
    for place in signature.inputs().filter(|place| ids[*place].is_here()) {
        match STORE.take(ids[place], || None) {
            Ok(_) => taken.push(ids[place]),
            Err(error) => {
                for id in taken {
                    STORE.untake(id);
                }
                return Err(error);
            }
        }
    }
    Ok(())
}
