//! The end, losses, and what the oracle asks.

use super::super::program::{PreparedProgram, process};
use crate::id::ProcessId;
use crate::protocol::membership::{MembershipAction, MembershipEvent};
use crate::protocol::planted::planted;
use crate::protocol::termination::{Counts, TerminationAction, TerminationEvent};
use crate::wire::{End, Message};
use std::collections::BTreeMap;

use super::{Fate, Heard, LifePhase, NOTHING, Place, SimulatedProcess, Wrong, broken, index};

impl SimulatedProcess {
    /// Whether this process has nothing to do. After a loss tasks may wait for what nobody will publish.
    pub(super) fn is_idle(&self, p: &PreparedProgram) -> bool {
        let lossless = self.membership.lost().is_empty();
        let runs = self.runs.values().any(|run| run.running || lossless);
        !self.has_script(p) && !runs && (self.pending.is_empty() || !lossless) && self.phase != LifePhase::Closed
    }

    /// To be called after each event.
    pub(in crate::protocol::simulation) fn look_around(&mut self, p: &PreparedProgram) -> Result<(), Wrong> {
        loop {
            let phase = self.phase;
            self.terminate(p, TerminationEvent::Idle(self.is_idle(p)))?;
            if self.phase == phase {
                return Ok(());
            }
        }
    }

    pub(super) fn terminate(&mut self, p: &PreparedProgram, event: TerminationEvent) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        self.termination.step(event, &mut actions).map_err(broken)?;
        self.termination_actions(p, actions)
    }

    pub(super) fn termination_actions(
        &mut self,
        p: &PreparedProgram,
        actions: Vec<TerminationAction>,
    ) -> Result<(), Wrong> {
        for action in actions {
            match action {
                TerminationAction::Wave(to, wave) => self.send(to, &Message::Wave { wave })?,
                TerminationAction::Answer(to, wave, Counts { sent, received, failures }) => {
                    self.send(to, &Message::Answer { wave, sent, received, failures, first: None })?;
                }
                TerminationAction::End(number, counts) => {
                    let closing = self.phase == LifePhase::Closing;
                    self.end(p, &End { number, closing, first: None, failures: counts.failures })?;
                }
                TerminationAction::EndAgain(child) => {
                    let (number, closing) = if self.phase == LifePhase::Closing { (1, false) } else { (2, true) };
                    self.send(child, &Message::End(End { number, closing, first: None, failures: 0 }))?;
                }
            }
        }
        Ok(())
    }

    /// Nothing is left anywhere: first of what can run; then, when promises without a producer were given up, of anything.
    pub(super) fn end(&mut self, p: &PreparedProgram, end: &End<'_>) -> Result<(), Wrong> {
        if self.termination.end(end.number).is_none() {
            return Ok(());
        }
        let children: Vec<ProcessId> = self.termination.children().collect();
        for child in children {
            self.send(child, &Message::End(*end))?;
        }
        if self.phase == LifePhase::Closing {
            self.phase = LifePhase::Closed;
            return self.terminate(p, TerminationEvent::Idle(false));
        }
        self.phase = LifePhase::Closing;
        let left: Vec<usize> =
            self.locals.iter().filter(|(_, local)| !local.promise.has_producer()).map(|(at, _)| *at).collect();
        for at in left {
            self.settle(p, at, None)?;
        }
        Ok(())
    }

    /// Another process is gone, as this one has found out.
    pub(in crate::protocol::simulation) fn gone(&mut self, p: &PreparedProgram, lost: usize) -> Result<(), Wrong> {
        self.suspects.push(lost);
        self.member(p, MembershipEvent::Gone(process(lost)))
    }

    pub(super) fn member(&mut self, p: &PreparedProgram, event: MembershipEvent) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        self.membership.step(event, &mut actions).map_err(broken)?;
        for action in actions {
            match action {
                MembershipAction::Tell(to, process) => self.send(to, &Message::Lost { process, cause: 1 })?,
                MembershipAction::Ack(to, process) => self.send(to, &Message::Ack { process })?,
                MembershipAction::Apply(lost) => self.apply(p, lost)?,
                MembershipAction::Settle(lost) => self.give_up(p, lost)?,
                MembershipAction::Thaw => {}
                MembershipAction::Ended => return Err("a survivor is declared lost".into()),
            }
        }
        let locals: Vec<usize> = self.locals.keys().copied().collect();
        locals.into_iter().try_for_each(|at| self.try_free(p, at))
    }

    /// Takes over the lost process's tasks, and asks for the loans that they need.
    pub(super) fn apply(&mut self, p: &PreparedProgram, lost: ProcessId) -> Result<(), Wrong> {
        let mut tasks: BTreeMap<usize, u32> = BTreeMap::new();
        for run in self.runs.values_mut().filter(|run| run.from == index(lost)) {
            run.adopted = true;
            for input in &p.program.tasks[run.task].inputs {
                *tasks.entry(*input).or_default() += 1;
            }
        }
        self.received[index(lost)].lost();
        let tasks_on = |at: &usize| tasks.get(at).copied().unwrap_or(0);
        for (at, local) in &mut self.locals {
            local.home.lost(&mut local.held, lost, tasks_on(at));
        }
        let held: Vec<usize> = self.holders.keys().copied().collect();
        for at in held {
            let mut actions = Vec::new();
            let (held, holder) = self.holders.entry(at).or_default();
            holder.adopt(held, lost, tasks_on(&at), &mut actions);
            self.holder_actions(p, at, actions)?;
        }
        Ok(())
    }

    /// Gives up what the lost process had.
    pub(super) fn give_up(&mut self, p: &PreparedProgram, lost: ProcessId) -> Result<(), Wrong> {
        let sent: Vec<(usize, bool)> = self.sent[index(lost)].lost().collect();
        let (again, sent) = self.send_again(p, lost, sent);
        for (task, ended) in sent {
            if !ended {
                self.told.push((task, Fate::Failure));
                self.termination.count_failure();
            }
            p.program.tasks[task].inputs.iter().try_for_each(|input| self.release(p, *input))?;
            let outputs = p.program.tasks[task].outputs.iter().filter(|at| p.program.homes[**at] == self.me);
            outputs.copied().collect::<Vec<usize>>().into_iter().try_for_each(|output| self.try_free(p, output))?;
        }
        let held: Vec<usize> = self.holders.keys().copied().collect();
        for at in held {
            let mut actions = Vec::new();
            let (held, holder) = self.holders.entry(at).or_default();
            if p.program.homes[at] == index(lost) {
                holder.home_lost(&mut actions);
            } else {
                holder.adopted(*held, &mut actions);
            }
            self.holder_actions(p, at, actions)?;
        }
        // Tasks of which nobody knows whether their claims were made.
        while let Some(arrival) =
            self.runs.iter().find(|(_, run)| run.adopted && !run.claims.is_empty()).map(|(at, _)| *at)
        {
            let mut actions = Vec::new();
            self.copies.withdraw(arrival, &mut actions);
            self.copy_actions(p, actions)?;
            self.finish(p, arrival, Fate::Failure)?;
        }
        // Outputs of tasks that never came.
        let (never, early) = self.early.iter().partition(|(scheduler, ..)| *scheduler == index(lost));
        self.early = early;
        let never: Vec<(usize, u32, usize)> = never;
        never.into_iter().try_for_each(|(.., at)| self.settle(p, at, None))?;
        // Claims that nobody answers.
        let waiting: Vec<u64> = self.runs.keys().copied().collect();
        for arrival in waiting {
            self.refuse_claims(p, arrival, |_, home| home == lost)?;
        }
        self.outputs.values_mut().for_each(|output| output.lost(lost));
        let locals: Vec<usize> = self.locals.keys().copied().collect();
        for at in locals {
            if again.iter().any(|task| p.program.tasks[*task].outputs.contains(&at)) {
                self.reopen(at, lost);
                continue;
            }
            let local = self.locals.get_mut(&at).expect(NOTHING);
            let mut told = local.promise.lost(lost);
            if local.place == Place::Away(lost) {
                told.get_or_insert_default();
            }
            if let Some(told) = told {
                local.place = Place::Poisoned;
                local.producer = None;
                let me = process(self.me);
                for to in told.iter().filter(|to| *to != me) {
                    self.tell(p, to, at, me, None)?;
                }
                self.heard(p, at, process(self.me), Heard::Poisoned)?;
            }
        }
        let mut actions = Vec::new();
        self.copies.lost(lost, &mut actions);
        self.copy_actions(p, actions)?;
        self.again += again.len();
        // It is not idle any more: the end would be decided without these tasks.
        if !again.is_empty() && !planted("the end does not wait for tasks that are sent again") {
            self.terminate(p, TerminationEvent::Idle(false))?;
        }
        let mut actions = Vec::new();
        self.termination.lost(lost, &mut actions);
        self.termination_actions(p, actions)?;
        again.into_iter().try_for_each(|task| self.dispatch(p, task))
    }

    /// The data that were freed here, their home.
    pub(in crate::protocol::simulation) fn freed(&self) -> impl Iterator<Item = usize> + '_ {
        self.locals.iter().filter(|(_, local)| local.freed).map(|(at, _)| *at)
    }

    /// Whether this process, which is not its home, has references of a datum.
    pub(in crate::protocol::simulation) fn holds(&self, at: usize) -> bool {
        self.holders.get(&at).is_some_and(|(held, _)| !held.is_nothing())
    }

    /// What is left when all is closed.
    pub(in crate::protocol::simulation) fn leftovers(&self) -> Option<Wrong> {
        if let Some(run) = self.runs.values().next() {
            return Some(format!("task {} still waits in process {}", run.task, self.me));
        }
        if self.membership.lost().is_empty() || self.recovery.is_some() {
            if let Some((at, local)) = self.locals.iter().find(|(_, local)| !local.freed) {
                return Some(format!("datum {at} is never freed: {:?}, lent to {:?}", local.held, local.home.lent()));
            }
            if let Some((at, _)) = self.own.iter().next() {
                return Some(format!("the bytes of datum {at} stay in process {}", self.me));
            }
            if let Some((at, (held, holder))) =
                self.holders.iter().find(|(_, (held, holder))| !held.is_nothing() || !holder.is_idle())
            {
                return Some(format!("process {} holds datum {at} at the end: {held:?}, {holder:?}", self.me));
            }
            if self.sent.iter().any(|sent| !sent.is_empty()) {
                return Some(format!("a task that process {} has sent is not returned", self.me));
            }
        }
        None
    }
}
