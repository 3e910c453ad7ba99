//! Tasks that run here, and what they come to.

use super::super::program::{PreparedProgram, bytes, datum, id, process};
use crate::id::{DatumId, ProcessId};
use crate::protocol::copies::{CopyAction, Input, Known};
use crate::protocol::loans::{HolderEvent, WithheldTask};
use crate::protocol::tasks::ClaimState;
use crate::wire::{DatumAt, Fetch, How, Message, TaskMessage};

use super::{Fate, Place, Run, SimulatedProcess, Wrong, broken, index};

impl SimulatedProcess {
    pub(super) fn receive_task(
        &mut self,
        p: &PreparedProgram,
        from: usize,
        sent: &TaskMessage<'_>,
    ) -> Result<(), Wrong> {
        let task = sent.processing.number() as usize;
        let spec = &p.program.tasks[task];
        let own = from == self.me;
        let mut run = Run {
            task,
            from,
            sequence: sent.sequence,
            adopted: false,
            running: false,
            claims: Vec::new(),
            granted: Vec::new(),
            last: Vec::new(),
        };
        let mut inputs: Vec<Input> = Vec::new();
        let mut here = Vec::new();
        for argument in sent.arguments.iter() {
            let at = datum(argument.datum.id);
            let known = match argument.how {
                How::Output => {
                    run.granted.push(at);
                    if !own {
                        self.outputs.entry(at).or_default();
                    }
                    continue;
                }
                How::Claimed => {
                    run.claims.push(at);
                    continue;
                }
                How::Next(_) | How::Promised => Known::Promised,
                How::There => Known::At(argument.datum.at),
                How::Inline(bytes) => {
                    here.push((at, bytes.to_vec()));
                    Known::Here(argument.datum.at)
                }
            };
            if argument.last {
                run.last.push(at);
            }
            if p.program.homes[at] != self.me && !own {
                self.holder_step(p, at, HolderEvent::Begin)?;
            }
            if !self.own.contains_key(&at) && !inputs.iter().any(|input| datum(input.id) == at) {
                inputs.push(Input { id: argument.datum.id, size: argument.size, known });
            }
        }
        let withheld = if own { 0 } else { spec.inputs.len() as u32 };
        let claims: Vec<DatumId> = run.claims.iter().map(|at| id(&p.program, *at)).collect();
        let state = self.received[from].accept(process(from), sent.sequence, withheld, &claims).map_err(broken)?;
        self.arrivals += 1;
        let arrival = self.arrivals;
        for (at, bytes) in here {
            if inputs.iter().any(|input| datum(input.id) == at) {
                self.copied.insert(at, bytes);
            }
        }
        // Claims that were answered before the task came.
        let early: Vec<usize> =
            run.claims.iter().copied().filter(|at| self.early.contains(&(from, sent.sequence, *at))).collect();
        self.early.retain(|(by, sequence, _)| (*by, *sequence) != (from, sent.sequence));
        run.claims.retain(|at| !early.contains(at));
        run.granted.extend(early);
        self.runs.insert(arrival, run);
        let mut actions = Vec::new();
        self.copies.arrive(arrival, &inputs, u32::from(state != ClaimState::Granted), &mut actions);
        self.copy_actions(p, actions)?;
        self.claim_state(p, arrival, state, false)?;
        self.refuse_claims(p, arrival, |me, home| !me.membership.is_alive(home))
    }

    /// Homes that are lost answer no claim.
    pub(super) fn refuse_claims(
        &mut self,
        p: &PreparedProgram,
        arrival: u64,
        lost: impl Fn(&Self, ProcessId) -> bool,
    ) -> Result<(), Wrong> {
        let Some(run) = self.runs.get(&arrival) else { return Ok(()) };
        let home = |at: &usize| process(p.program.homes[*at]);
        let unanswered: Vec<usize> = run.claims.iter().copied().filter(|at| lost(self, home(at))).collect();
        let (from, sequence) = (run.from, run.sequence);
        for at in unanswered {
            self.runs.get_mut(&arrival).expect("a task").claims.retain(|claimed| *claimed != at);
            let state = self.received[from].claim(id(&p.program, at), sequence, false).map_err(broken)?;
            self.claim_state(p, arrival, state, true)?;
        }
        Ok(())
    }

    /// The homes of a task's outputs have answered, or not all.
    pub(super) fn claim_state(
        &mut self,
        p: &PreparedProgram,
        arrival: u64,
        state: ClaimState,
        held: bool,
    ) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        match state {
            ClaimState::Waiting => {}
            ClaimState::Granted if !held => {}
            ClaimState::Granted => self.copies.release(arrival, &mut actions),
            ClaimState::Refused => {
                self.copies.withdraw(arrival, &mut actions);
                self.copy_actions(p, actions)?;
                return self.finish(p, arrival, Fate::Failure);
            }
        }
        self.copy_actions(p, actions)
    }

    pub(super) fn copy_actions(&mut self, p: &PreparedProgram, actions: Vec<CopyAction>) -> Result<(), Wrong> {
        self.most_bytes = self.most_bytes.max(self.copies.bytes());
        for action in actions {
            match action {
                CopyAction::Subscribe(id) if index(id.home()) == self.me => {
                    self.subscribe(p, datum(id), process(self.me))?;
                }
                CopyAction::Subscribe(id) => {
                    self.send(id.home(), &Message::Subscribe(DatumAt { id, at: process(self.me) }))?;
                }
                CopyAction::Fetch { id, at, ticket, size } => {
                    self.fetches += 1;
                    if index(at) == self.me {
                        let bytes = self.own.get(&datum(id)).cloned();
                        self.bytes_came(p, ticket, id, bytes.as_deref(), false)?;
                    } else {
                        let (asker, datum) = (process(self.me), DatumAt { id, at });
                        self.send(at, &Message::Fetch(Fetch { ticket, datum, asker, worker: 0, size }))?;
                    }
                }
                CopyAction::Evict(id) => {
                    self.copied.remove(&datum(id));
                    self.mapped.remove(&datum(id));
                }
                CopyAction::Ready(arrival) => self.runs.get_mut(&arrival).expect("a task").running = true,
                CopyAction::Cancel(arrival) => self.finish(p, arrival, Fate::Cancelled)?,
            }
        }
        Ok(())
    }

    pub(super) fn bytes_came(
        &mut self,
        p: &PreparedProgram,
        ticket: u32,
        id: DatumId,
        bytes: Option<&[u8]>,
        mapped: bool,
    ) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        match bytes {
            None => self.copies.poisoned(id, &mut actions),
            Some(bytes) => {
                let from = self.copies.place(id);
                if self.copies.bytes_came(ticket, mapped, &mut actions).is_some() {
                    self.copied.insert(datum(id), bytes.to_vec());
                    self.mapped.extend(from.filter(|_| mapped).map(|from| (datum(id), index(from))));
                }
            }
        }
        self.copy_actions(p, actions)
    }

    /// Data whose bytes running tasks read where they lie, and the processes where that is.
    pub(in crate::protocol::simulation) fn read_elsewhere<'a>(
        &'a self,
        p: &'a PreparedProgram,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let inputs = self.runs.values().filter(|run| run.running).flat_map(|run| &p.program.tasks[run.task].inputs);
        let mapped = inputs.filter(|input| self.copies.is_mapped(id(&p.program, **input)));
        mapped.filter_map(|input| Some((*input, *self.mapped.get(input)?)))
    }

    /// Whether a datum's bytes lie in this process.
    pub(in crate::protocol::simulation) fn keeps(&self, at: usize) -> bool {
        self.own.contains_key(&at)
    }

    pub(in crate::protocol::simulation) fn running(&self) -> Vec<u64> {
        self.runs.iter().filter(|(_, run)| run.running).map(|(arrival, _)| *arrival).collect()
    }

    /// A running task ends: its inputs are as they should be.
    pub(in crate::protocol::simulation) fn end_task(&mut self, p: &PreparedProgram, arrival: u64) -> Result<(), Wrong> {
        let run = &self.runs[&arrival];
        let task = run.task;
        let spec = &p.program.tasks[task];
        for input in &spec.inputs {
            let Some(found) = self.own.get(input).or_else(|| self.copied.get(input)) else {
                return Err(format!("task {task} runs, and its input {input} is gone"));
            };
            if p.values[*input].is_none_or(|value| *found != bytes(*input, value)) {
                return Err(format!("task {task} reads a wrong value of datum {input}"));
            }
        }
        // The output takes over the memory of what it carries on, if nobody else can see that.
        if let Some((_, carried)) = spec.next.filter(|(_, carried)| run.last.contains(carried)) {
            let datum = id(&p.program, carried);
            let other =
                |(at, other): (&u64, &Run)| *at != arrival && p.program.tasks[other.task].inputs.contains(&carried);
            if self.own.contains_key(&carried) {
                if self.runs.iter().any(other) {
                    return Err(format!("datum {carried} is carried on while another task needs it"));
                }
                self.own.remove(&carried);
                self.in_place += 1;
            } else if self.copies.is_unshared(datum) {
                self.copies.take_over(arrival, datum);
                self.copied.remove(&carried);
                self.in_place += 1;
            }
        }
        for op in &p.bodies[task] {
            self.op(p, *op)?;
        }
        self.finish(p, arrival, if spec.fails { Fate::Failure } else { Fate::Success })
    }

    /// A task is over: its outputs are published or poisoned, its references go.
    pub(super) fn finish(&mut self, p: &PreparedProgram, arrival: u64, fate: Fate) -> Result<(), Wrong> {
        let run = self.runs.remove(&arrival).expect("a task");
        self.fates.push((run.task, fate));
        if fate != Fate::Success {
            self.termination.count_failure();
        }
        for output in &run.granted {
            let value = p.values[*output].filter(|_| fate == Fate::Success);
            if fate == Fate::Success && value.is_none() {
                return Err(format!("task {} gives datum {output} a value that it has not", run.task));
            }
            self.settle(p, *output, value)?;
        }
        let mut actions = Vec::new();
        self.copies.end(arrival, &mut actions);
        self.copy_actions(p, actions)?;
        let spec = &p.program.tasks[run.task];
        let from = process(run.from);
        for input in &spec.inputs {
            if run.adopted {
                self.release(p, *input)?;
            } else if run.from != self.me && p.program.homes[*input] == self.me {
                let parts = self.received[run.from].release(run.sequence);
                self.done(p, from, run.sequence, parts, None)?;
            } else if run.from != self.me {
                self.holder_step(p, *input, HolderEvent::End(WithheldTask { from, sequence: run.sequence }))?;
            }
        }
        if run.adopted {
            return Ok(());
        }
        let parts = self.received[run.from].end(run.sequence);
        self.done(p, from, run.sequence, parts, Some(fate))
    }

    /// An output has come to something here.
    pub(super) fn settle(&mut self, p: &PreparedProgram, at: usize, value: Option<u64>) -> Result<(), Wrong> {
        let me = process(self.me);
        let value = value.map(|value| bytes(at, value));
        if let Some(value) = &value {
            self.own.insert(at, value.clone());
        }
        let mut told: Vec<ProcessId>;
        if let Some(local) = self.locals.get_mut(&at) {
            told = local.promise.settle().iter().collect();
            local.place = if value.is_some() { Place::Here } else { Place::Poisoned };
        } else {
            let output = self.outputs.entry(at).or_default();
            told = output.settle().iter().collect();
            let home = process(p.program.homes[at]);
            told.retain(|to| *to != home);
            told.push(home);
        }
        if self.locals.contains_key(&at) {
            told.push(me);
        }
        for to in told {
            self.tell(p, to, at, me, value.as_deref())?;
        }
        if self.locals.contains_key(&at) { self.try_free(p, at) } else { Ok(()) }
    }
}
