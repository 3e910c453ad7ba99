//! References of a process: its own, and those that it asks for.

use super::super::program::{PreparedProgram, id, process};
use crate::error::dvm_retcode_t;
use crate::id::ProcessId;
use crate::protocol::loans::{HolderAction, HolderEvent};
use crate::protocol::tasks::DoneParts;
use crate::wire::{Done, EndState, Message};

use super::{Fate, NOTHING, SimulatedProcess, Want, Wrong, broken, index};

impl SimulatedProcess {
    pub(super) fn holder_step(&mut self, p: &PreparedProgram, at: usize, event: HolderEvent) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        let (held, holder) = self.holders.entry(at).or_default();
        holder.step(held, event, &mut actions).map_err(broken)?;
        self.holder_actions(p, at, actions)
    }

    pub(super) fn holder_actions(
        &mut self,
        p: &PreparedProgram,
        at: usize,
        actions: Vec<HolderAction>,
    ) -> Result<(), Wrong> {
        let home = process(p.program.homes[at]);
        for action in actions {
            match action {
                HolderAction::Send(message) => self.send(home, &Message::References(id(&p.program, at), message))?,
                HolderAction::Granted => match self.wants.entry(at).or_default().pop_front().expect("a use") {
                    Want::Relax => self.holder_step(p, at, HolderEvent::Release)?,
                    Want::Task(task) => self.granted(p, task)?,
                },
                HolderAction::Denied => {
                    let want = self.wants.entry(at).or_default().pop_front();
                    if self.membership.lost().is_empty() {
                        return Err(format!("{want:?} gets no reference of datum {at}"));
                    }
                }
                HolderAction::AcquireDenied => {
                    if self.membership.lost().is_empty() {
                        return Err(format!("no reference of datum {at} can be made"));
                    }
                }
                HolderAction::Return(task) => {
                    let parts = self.received[index(task.from)].release(task.sequence);
                    self.done(p, task.from, task.sequence, parts, None)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn done(
        &mut self,
        p: &PreparedProgram,
        to: ProcessId,
        sequence: u32,
        parts: Option<DoneParts>,
        fate: Option<Fate>,
    ) -> Result<(), Wrong> {
        let Some(parts) = parts else { return Ok(()) };
        let outcome = fate.filter(|_| parts.outcome).map(|fate| match fate {
            Fate::Success => EndState::Success,
            Fate::Failure => EndState::Failure(dvm_retcode_t::DVM_ERR_TASK, "it fails"),
            Fate::Cancelled => EndState::Cancelled(dvm_retcode_t::DVM_ERR_POISONED, "its input is poisoned"),
        });
        let done = Done { sequence, before: 0, outcome, returns: parts.returns };
        if index(to) == self.me {
            return self.receive_done(p, self.me, &done);
        }
        self.send(to, &Message::Done(done))
    }

    /// Uses a reference; the use follows when there is one.
    pub(super) fn want(&mut self, p: &PreparedProgram, at: usize, want: Want) -> Result<(), Wrong> {
        if p.program.homes[at] != self.me {
            self.wants.entry(at).or_default().push_back(want);
            return self.holder_step(p, at, HolderEvent::Use);
        }
        let local = self.locals.get_mut(&at).expect(NOTHING);
        if local.freed || !local.held.take() {
            if self.membership.lost().is_empty() {
                return Err(format!("{want:?} finds no reference of datum {at} at home"));
            }
            return Ok(());
        }
        match want {
            Want::Relax => self.release(p, at),
            Want::Task(task) => self.granted(p, task),
        }
    }

    /// A taken reference is free.
    pub(super) fn release(&mut self, p: &PreparedProgram, at: usize) -> Result<(), Wrong> {
        if p.program.homes[at] != self.me {
            return self.holder_step(p, at, HolderEvent::Release);
        }
        self.locals.get_mut(&at).expect(NOTHING).held.taken -= 1;
        self.try_free(p, at)
    }

    pub(super) fn try_free(&mut self, p: &PreparedProgram, at: usize) -> Result<(), Wrong> {
        let frozen = self.membership.frozen();
        let local = self.locals.get_mut(&at).expect(NOTHING);
        let produced = local.promise.is_settled() || !local.promise.has_producer();
        if self.recovery.as_ref().is_some_and(|recovery| recovery.keeps(id(&p.program, at))) {
            return Ok(());
        }
        if local.freed || !produced || !local.home.may_free(local.held, frozen) {
            return Ok(());
        }
        local.freed = true;
        self.own.remove(&at);
        match local.producer {
            Some(producer) => self.send(producer, &Message::Free(id(&p.program, at))),
            None => Ok(()),
        }
    }
}
