//! Tasks that are sent again after the loss of the process that ran them: all data have their home here.

use super::super::program::{PreparedProgram, bytes, id, process, size};
use crate::id::{DatumId, ProcessId};
use crate::protocol::copies::MOST_TICKETS;
use crate::wire::{DatumAt, Fetch, Message};

use super::{Heard, NOTHING, Place, SimulatedProcess, Wrong, index};

impl SimulatedProcess {
    /// Where a task runs that is meant for a process.
    pub(super) fn placed(&self, p: &PreparedProgram, runner: usize) -> usize {
        if !p.program.recovers || self.membership.is_alive(process(runner)) {
            return runner;
        }
        let alive: Vec<ProcessId> = self.membership.survivors().collect();
        index(alive[runner % alive.len()])
    }

    fn outputs_of(p: &PreparedProgram, task: usize) -> Vec<DatumId> {
        p.program.tasks[task].outputs.iter().map(|at| id(&p.program, *at)).collect()
    }

    /// A task goes to its runner.
    pub(super) fn may_send_again(&mut self, p: &PreparedProgram, task: usize, at: usize) {
        let here = at == self.me;
        let Some(recovery) = &mut self.recovery else { return };
        let outputs = Self::outputs_of(p, task);
        if here { recovery.forget(&outputs) } else { recovery.send(&outputs) }
    }

    /// The outputs of a task that have no value yet.
    pub(super) fn to_make(&self, p: &PreparedProgram, task: usize) -> Vec<usize> {
        let made = |at: &usize| self.locals.get(at).is_some_and(|local| local.promise.is_settled());
        p.program.tasks[task].outputs.iter().copied().filter(|at| !made(at)).collect()
    }

    /// A task was returned: its references are free, unless it may have to be sent again.
    pub(super) fn returned(&mut self, p: &PreparedProgram, from: usize, task: usize) -> Result<(), Wrong> {
        let outputs = Self::outputs_of(p, task);
        let (me, locals) = (self.me, &self.locals);
        let is_home = |id: DatumId| !matches!(locals[&super::super::program::datum(id)].place, Place::Away(_));
        match self.recovery.as_mut().filter(|_| from != me) {
            Some(recovery) => match recovery.returned(process(from), task, outputs, is_home) {
                Some(task) => self.over(p, task),
                None => Ok(()),
            },
            None => p.program.tasks[task].inputs.iter().try_for_each(|input| self.release(p, *input)),
        }
    }

    /// A task is not sent again.
    fn over(&mut self, p: &PreparedProgram, task: usize) -> Result<(), Wrong> {
        let spec = &p.program.tasks[task];
        spec.inputs.iter().try_for_each(|input| self.release(p, *input))?;
        spec.outputs.iter().try_for_each(|output| self.try_free(p, *output))
    }

    /// A datum has come to something elsewhere: its bytes are copied home.
    pub(super) fn copy_home(
        &mut self,
        p: &PreparedProgram,
        at: usize,
        from: ProcessId,
        value: Heard<'_>,
    ) -> Result<(), Wrong> {
        if self.recovery.is_none() {
            return Ok(());
        }
        match value {
            Heard::Bytes(bytes) => self.has_come_home(p, at, bytes),
            Heard::Poisoned => Ok(()),
            Heard::Away => {
                self.arrivals += 1;
                let (ticket, me) = (MOST_TICKETS + self.arrivals as u32, process(self.me));
                self.requests.insert(ticket, at);
                let datum = DatumAt { id: id(&p.program, at), at: from };
                let fetch = Fetch { ticket, datum, asker: me, worker: 0, size: size(at) };
                self.send(from, &Message::Fetch(fetch))
            }
        }
    }

    /// The bytes of a datum of this process are here.
    pub(super) fn has_come_home(&mut self, p: &PreparedProgram, at: usize, found: &[u8]) -> Result<(), Wrong> {
        if p.values[at].is_none_or(|value| found != bytes(at, value)) {
            return Err(format!("a wrong value of datum {at} comes home"));
        }
        self.own.insert(at, found.to_vec());
        self.locals.get_mut(&at).expect(NOTHING).place = Place::Here;
        let over = self.recovery.as_mut().expect(NOTHING).is_home(id(&p.program, at));
        over.into_iter().try_for_each(|(task, _)| self.over(p, task))?;
        self.try_free(p, at)
    }

    /// Of the tasks that were sent to a lost process, those that are sent again, and the others.
    pub(super) fn send_again(
        &mut self,
        p: &PreparedProgram,
        lost: ProcessId,
        sent: Vec<(usize, bool)>,
    ) -> (Vec<usize>, Vec<(usize, bool)>) {
        let Some(recovery) = self.recovery.as_mut() else { return (Vec::new(), sent) };
        let locals = &self.locals;
        let is_home = |at: &usize| locals[at].promise.is_settled() && !matches!(locals[at].place, Place::Away(_));
        let (over, again): (Vec<_>, Vec<_>) =
            sent.into_iter().partition(|(task, ended)| *ended && p.program.tasks[*task].outputs.iter().all(is_home));
        for (task, _) in &over {
            recovery.forget(&Self::outputs_of(p, *task));
        }
        let mut again: Vec<usize> = again.into_iter().map(|(task, _)| task).collect();
        again.extend(recovery.lost(lost).into_iter().map(|(task, _)| task));
        again.sort_unstable();
        self.requests.retain(|_, at| locals[at].place != Place::Away(lost));
        (again, over)
    }

    /// An output of a task that is sent again: its bytes are here, or it is a promise as before.
    pub(super) fn reopen(&mut self, at: usize, lost: ProcessId) {
        let local = self.locals.get_mut(&at).expect(NOTHING);
        local.producer = None;
        if matches!(local.place, Place::Nowhere | Place::Away(_)) {
            debug_assert!(local.place != Place::Away(process(self.me)) && self.membership.lost().contains(lost));
            local.place = Place::Nowhere;
            local.promise.reopen();
        }
    }
}
