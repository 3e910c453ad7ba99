//! One process: all machines over a model of its data and tasks. What the run-time will do with threads and memory, this
//! does in one function per message and call.

mod ending;
mod receiving;
mod recovering;
mod references;
mod running;

use super::program::{Op, PreparedProgram, bytes, id, process, size};
use crate::error::dvm_retcode_t;
use crate::id::{ProcessId, ProcessingId};
use crate::protocol::Breach;
use crate::protocol::copies::RemoteCopies;
use crate::protocol::loans::{Held, Holder, HolderEvent, LoanHome};
use crate::protocol::membership::Membership;
use crate::protocol::promises::{OutputClaim, Promise};
use crate::protocol::recovery::Recovery;
use crate::protocol::tasks::{ReceivedTasks, SentTasks};
use crate::protocol::termination::Termination;
use crate::wire::{
    Argument, Arguments, BatchHead, ClaimMessage, DatumAt, Here, How, Message, Payload, TaskMessage, Value,
};
use std::collections::{BTreeMap, HashMap, VecDeque};

pub(super) type Wrong = String;

/// Where a datum's value is, as its home knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Here,
    Away(ProcessId),
    Poisoned,
}

/// A datum at its home.
struct Local {
    held: Held,
    home: LoanHome,
    promise: Promise,
    place: Place,
    /// Where its producer ran, if that is elsewhere.
    producer: Option<ProcessId>,
    freed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Want {
    Task(usize),
    Relax,
}

/// A task that waits or runs here.
struct Run {
    task: usize,
    from: usize,
    sequence: u32,
    /// Its scheduler is lost: its references are this process's, and nobody hears of its end.
    adopted: bool,
    running: bool,
    /// Outputs whose homes have not answered.
    claims: Vec<usize>,
    granted: Vec<usize>,
    last: Vec<usize>,
}

/// What a process hears of a datum.
#[derive(Clone, Copy)]
enum Heard<'a> {
    Bytes(&'a [u8]),
    Away,
    Poisoned,
}

/// What a task came to where it ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Success,
    Failure,
    Cancelled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LifePhase {
    Working,
    Closing,
    Closed,
}

pub(super) struct SimulatedProcess {
    pub(super) me: usize,
    pub(super) membership: Membership,
    /// Whom this process counts as gone, and hears no more.
    suspects: Vec<usize>,
    termination: Termination,
    locals: BTreeMap<usize, Local>,
    holders: BTreeMap<usize, (Held, Holder)>,
    wants: BTreeMap<usize, VecDeque<Want>>,
    /// Tasks that are being scheduled, with the references that they lack.
    pending: BTreeMap<usize, usize>,
    sent: Vec<SentTasks<usize>>,
    received: Vec<ReceivedTasks>,
    runs: BTreeMap<u64, Run>,
    arrivals: u64,
    copies: RemoteCopies,
    copied: HashMap<usize, Vec<u8>>,
    /// The copies that are read where they lie, and where that is.
    mapped: HashMap<usize, usize>,
    own: HashMap<usize, Vec<u8>>,
    outputs: BTreeMap<usize, OutputClaim>,
    recovery: Option<Recovery<usize>>,
    /// Requests for the bytes of own data, by their tickets.
    requests: HashMap<u32, usize>,
    /// Outputs that were granted before their tasks came: scheduler, sequence, datum.
    early: Vec<(usize, u32, usize)>,
    script: usize,
    pub(super) phase: LifePhase,
    /// What is to be sent: to whom, and a batch.
    pub(super) out: Vec<(usize, Vec<u8>)>,
    /// What ended here.
    pub(super) fates: Vec<(usize, Fate)>,
    /// What this process has heard of the tasks that it has scheduled.
    pub(super) told: Vec<(usize, Fate)>,
    pub(super) most_bytes: u64,
    pub(super) in_place: usize,
    pub(super) fetches: usize,
    /// Tasks that were sent again.
    pub(super) again: usize,
}

fn broken(breach: Breach) -> Wrong {
    breach.to_string()
}

fn index(process: ProcessId) -> usize {
    process.index() as usize
}

const NOTHING: &str = "a defect of the program";

impl SimulatedProcess {
    pub(super) fn new(me: usize, p: &PreparedProgram) -> SimulatedProcess {
        let count = p.program.processes;
        let mut locals = BTreeMap::new();
        let mut own = HashMap::new();
        for at in (0..p.program.homes.len()).filter(|at| p.program.homes[*at] == me) {
            let mut promise = Promise::default();
            let mut place = Place::Nowhere;
            if p.program.producers[at].is_none() {
                promise.settle();
                place = Place::Here;
                own.insert(at, bytes(at, p.values[at].unwrap_or(0)));
            }
            let held = Held { available: p.references[at] as u32, taken: 0 };
            locals.insert(at, Local { held, home: LoanHome::default(), promise, place, producer: None, freed: false });
        }
        SimulatedProcess {
            me,
            membership: Membership::new(process(me), count as u32),
            suspects: Vec::new(),
            termination: Termination::new(process(me), count as u32),
            locals,
            holders: BTreeMap::new(),
            wants: BTreeMap::new(),
            pending: BTreeMap::new(),
            sent: (0..count).map(|_| SentTasks::default()).collect(),
            received: (0..count).map(|_| ReceivedTasks::default()).collect(),
            runs: BTreeMap::new(),
            arrivals: 0,
            copies: RemoteCopies::new(p.program.cache),
            copied: HashMap::new(),
            mapped: HashMap::new(),
            own,
            outputs: BTreeMap::new(),
            recovery: p.program.recovers.then(Recovery::default),
            requests: HashMap::new(),
            early: Vec::new(),
            script: 0,
            phase: LifePhase::Working,
            out: Vec::new(),
            fates: Vec::new(),
            told: Vec::new(),
            most_bytes: 0,
            in_place: 0,
            fetches: 0,
            again: 0,
        }
    }

    fn send(&mut self, to: ProcessId, message: &Message<'_>) -> Result<(), Wrong> {
        if !self.membership.is_alive(to) {
            return Ok(());
        }
        if counted(message) {
            self.termination.count_sent(to);
        }
        let mut batch = Vec::new();
        BatchHead::begin(&mut batch);
        message.add_to(&mut batch).map_err(|refusal| refusal.to_string())?;
        BatchHead { load: self.runs.len() as u32, epoch: self.membership.epoch() }.finish(&mut batch);
        self.out.push((index(to), batch));
        Ok(())
    }

    /// Tells a process what a datum has come to, also this one.
    fn tell(
        &mut self,
        p: &PreparedProgram,
        to: ProcessId,
        at: usize,
        place: ProcessId,
        value: Option<&[u8]>,
    ) -> Result<(), Wrong> {
        let datum = DatumAt { id: id(&p.program, at), at: place };
        if index(to) == self.me {
            return self.heard(p, at, place, value.map_or(Heard::Poisoned, |_| Heard::Away));
        }
        let value = match value {
            // Every other datum is small enough to come along.
            Some(bytes) if at.is_multiple_of(2) => Value::Published { size: size(at), payload: Payload::Inline(bytes) },
            Some(_) => Value::Published { size: size(at), payload: Payload::Away },
            None => Value::Poisoned(dvm_retcode_t::DVM_ERR_TASK, "poisoned"),
        };
        self.send(to, &Message::Here(Here { datum, writer: 0, value }))
    }

    /// A datum has come to something: bytes there, which may have come along; or none.
    fn heard(&mut self, p: &PreparedProgram, at: usize, place: ProcessId, value: Heard<'_>) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        let datum = id(&p.program, at);
        match value {
            Heard::Poisoned => self.copies.poisoned(datum, &mut actions),
            Heard::Away => self.copies.here(datum, place, size(at), false, &mut actions),
            Heard::Bytes(bytes) => {
                self.copied.insert(at, bytes.to_vec());
                self.copies.here(datum, place, size(at), true, &mut actions);
            }
        }
        self.copy_actions(p, actions)?;
        if !self.copies.is_present(datum) {
            self.copied.remove(&at);
        }
        Ok(())
    }

    /// Whether main has something left to do.
    pub(super) fn has_script(&self, p: &PreparedProgram) -> bool {
        self.script < p.mains[self.me].len()
    }

    pub(super) fn run_script(&mut self, p: &PreparedProgram) -> Result<(), Wrong> {
        let op = p.mains[self.me][self.script];
        self.script += 1;
        self.op(p, op)
    }

    fn op(&mut self, p: &PreparedProgram, op: Op) -> Result<(), Wrong> {
        match op {
            Op::Relax(at) => self.want(p, at, Want::Relax),
            Op::Acquire(at) if p.program.homes[at] != self.me => self.holder_step(p, at, HolderEvent::Acquire),
            Op::Acquire(at) => {
                let local = self.locals.get_mut(&at).expect(NOTHING);
                if local.freed && self.membership.lost().is_empty() {
                    return Err(format!("datum {at} is freed, and a reference is to be made"));
                }
                local.held.available += u32::from(!local.freed);
                Ok(())
            }
            Op::Schedule(task) => {
                let inputs = &p.program.tasks[task].inputs;
                self.pending.insert(task, inputs.len());
                if inputs.is_empty() {
                    self.pending.remove(&task);
                    return self.dispatch(p, task);
                }
                inputs.iter().try_for_each(|input| self.want(p, *input, Want::Task(task)))
            }
        }
    }

    fn granted(&mut self, p: &PreparedProgram, task: usize) -> Result<(), Wrong> {
        let missing = self.pending.get_mut(&task).expect("it is being scheduled");
        *missing -= 1;
        if *missing == 0 {
            self.pending.remove(&task);
            return self.dispatch(p, task);
        }
        Ok(())
    }

    /// The task has its references: it goes to its runner.
    fn dispatch(&mut self, p: &PreparedProgram, task: usize) -> Result<(), Wrong> {
        let spec = &p.program.tasks[task];
        let runs = self.placed(p, spec.runner);
        let runner = process(runs);
        if !self.membership.is_alive(runner) {
            self.told.push((task, Fate::Failure));
            return spec.inputs.iter().try_for_each(|input| self.release(p, *input));
        }
        let sequence = self.sent[runs].send(task);
        self.may_send_again(p, task, runs);
        let mut arguments = Vec::new();
        let inline: Vec<Option<Vec<u8>>> =
            spec.inputs.iter().map(|input| self.own.get(input).filter(|_| input % 2 == 0).cloned()).collect();
        for (input, inline) in spec.inputs.iter().zip(&inline) {
            let (at, how) = match (inline, self.locals.get(input).map(|local| local.place)) {
                (Some(bytes), _) => (process(self.me), How::Inline(bytes)),
                (None, Some(Place::Here)) => (process(self.me), How::There),
                (None, Some(Place::Away(at))) => (at, How::There),
                _ => (process(p.program.homes[*input]), How::Promised),
            };
            let last = self.is_last(p, task, *input) && (self.recovery.is_none() || runs == self.me);
            arguments.push(Argument {
                datum: DatumAt { id: id(&p.program, *input), at },
                size: size(*input),
                how,
                last,
            });
        }
        let mut told = Vec::new();
        for output in self.to_make(p, task) {
            let datum = DatumAt::home(id(&p.program, output));
            let mut how = How::Claimed;
            if let Some(local) = self.locals.get_mut(&output) {
                let Some(needers) = local.promise.claim(process(self.me), runner) else {
                    return Err(format!("datum {output} has two producers"));
                };
                local.producer = (runs != self.me).then_some(runner);
                told.push((output, needers));
                how = How::Output;
            }
            arguments.push(Argument {
                datum,
                size: if how == How::Output { size(output) } else { 0 },
                how,
                last: false,
            });
        }
        let processing = ProcessingId::from_raw([0, task as u64]);
        let arguments = Arguments::of(&arguments);
        let sent = TaskMessage { sequence, near: false, processing, worker: runs as u32, arguments };
        let me = self.me;
        for output in spec.outputs.iter().filter(|output| p.program.homes[**output] != me) {
            let (scheduler, id) = (process(self.me), id(&p.program, *output));
            self.send(
                process(p.program.homes[*output]),
                &Message::Claim(ClaimMessage { id, scheduler, sequence, runner }),
            )?;
        }
        if runs == self.me {
            return self.receive_task(p, self.me, &sent);
        }
        self.send(runner, &Message::Task(sent))?;
        for (output, needers) in told {
            for needer in needers.iter() {
                self.send(runner, &Message::Subscribe(DatumAt { id: id(&p.program, output), at: needer }))?;
            }
        }
        Ok(())
    }

    /// Whether the task takes the last reference of an input that an output carries on.
    fn is_last(&self, p: &PreparedProgram, task: usize, input: usize) -> bool {
        let spec = &p.program.tasks[task];
        let Some(local) = self.locals.get(&input) else { return false };
        let held = Held { available: 0, taken: 1 };
        spec.next.is_some_and(|(_, carried)| carried == input)
            && spec.inputs.iter().filter(|one| **one == input).count() == 1
            && local.held == held
            && local.home.lent().is_empty()
    }
}

/// Whether termination counts a message.
pub(super) fn counted(message: &Message<'_>) -> bool {
    !matches!(message, Message::Wave { .. } | Message::Answer { .. } | Message::End(_) | Message::Beat)
}
