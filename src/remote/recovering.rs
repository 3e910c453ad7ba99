//! After a loss, with `DVM_RECOVER`: tasks of the lost process run again, and what cannot be recovered is told.
//!
//! A task is sent again by its scheduler, which is the home of its outputs. What it needs until then is kept
//! (`protocol/recovery`). It runs where it was meant to, or instead of a lost process's worker on one of the others'.

use super::state::{BytesPlace, PendingTask, Repetition, SentTask, Step, TaskCall};
use crate::data::{DatumId, Outcome, STORE, Storage};
use crate::engine::Target;
use crate::error::Error;
use crate::id::ProcessId;
use crate::wire::{Edge, Message};

/// The part of libdvm that a message is for which says that its sender serves.
pub(super) const SERVES: u32 = 2;

impl Repetition {
    fn outputs(&self) -> Vec<DatumId> {
        self.task.signature.outputs().map(|place| self.task.ids[place]).collect()
    }
}

fn has_outcome(id: DatumId) -> bool {
    STORE.marked(id).is_none_or(|found| found.outcome.is_some())
}

impl Step<'_> {
    /// Whether tasks of a lost process run again.
    pub(super) fn recovers(&self) -> bool {
        self.state.recovery.is_some()
    }

    /// Whether a datum of this process is an output of a task that may be sent again: it is not freed.
    pub(super) fn keeps_for_recovery(&self, id: DatumId) -> bool {
        self.state.recovery.as_ref().is_some_and(|recovery| recovery.tasks.keeps(id))
    }

    /// Where a task runs: a lost process's workers are replaced by those of the others, in turn.
    pub(super) fn placed(&self, target: Target) -> Target {
        let Target::Worker(home) = target else { return target };
        if !self.recovers() || self.state.membership.is_alive(ProcessId::from_index(home.process)) {
            return target;
        }
        let homes = (0..).map_while(|number| self.call.home_of_number(number));
        let alive: Vec<_> =
            homes.filter(|home| self.state.membership.is_alive(ProcessId::from_index(home.process))).collect();
        alive.get(self.call.number_of(home) as usize % alive.len().max(1)).map_or(target, |home| Target::Worker(*home))
    }

    /// What is kept of a task that goes to this runner, to send it again.
    pub(super) fn may_send_again(&mut self, task: TaskCall<'_>, runner: ProcessId) -> Option<Box<Repetition>> {
        self.state.recovery.as_ref()?;
        let outputs: Vec<DatumId> = task.signature.outputs().map(|place| task.ids[place]).collect();
        let elsewhere = runner != self.me();
        let carried = outputs.iter().filter_map(|id| Some((*id, self.predecessor(*id)?))).collect();
        let recovery = self.state.recovery.as_mut()?;
        if !elsewhere {
            recovery.tasks.forget(&outputs);
            return None;
        }
        if !outputs.iter().all(|id| id.is_here()) {
            return None;
        }
        recovery.tasks.send(&outputs);
        let TaskCall { target, function, signature, ids, .. } = task;
        let task = PendingTask {
            target,
            function,
            signature,
            ids: ids.to_vec(),
            missing: 0,
            located: true,
            places: Vec::new(),
            granted: Vec::new(),
            denied: None,
        };
        Some(Box::new(Repetition { task, carried }))
    }

    /// The references of a task that was sent are free, unless it may have to be sent again.
    pub(super) fn returned(&mut self, from: ProcessId, task: SentTask) {
        let outputs = task.again.as_ref().map(|again| again.outputs());
        let Some((recovery, outputs)) = self.state.recovery.as_mut().zip(outputs) else {
            return task.inputs.into_iter().for_each(|id| self.release(id));
        };
        if let Some(task) = recovery.tasks.returned(from, task, outputs.clone(), has_outcome) {
            self.over(task, &outputs);
        }
    }

    /// A task is not sent again.
    fn over(&mut self, task: SentTask, outputs: &[DatumId]) {
        task.inputs.into_iter().for_each(|id| self.release(id));
        for id in outputs {
            self.try_free(*id);
        }
    }

    /// A datum of this process has come to something here.
    pub(super) fn is_home(&mut self, id: DatumId) {
        let Some(recovery) = &mut self.state.recovery else { return };
        for (task, outputs) in recovery.tasks.is_home(id) {
            self.over(task, &outputs);
        }
    }

    /// The memory that bytes were to come into is not filled: whoever was to send them is gone, and is given up as a whole. Says
    /// whether that is so.
    pub(super) fn give_up_sender(&mut self, ticket: u32) -> bool {
        if !self.recovers() {
            return false;
        }
        let near = self.state.requests.get(&ticket).and_then(|id| self.state.near.get(id));
        let fetched = self.state.copies.fetching(ticket);
        let copied_from = fetched.and_then(|(id, _)| self.state.copies.comes_from(id)).map(|(from, ..)| from);
        let from =
            if let Some(BytesPlace::Away(from)) = near.map(|near| near.place) { Some(from) } else { copied_from };
        let Some(from) = from else { return false };
        self.gone(from, "bytes that it was to send do not come");
        true
    }

    /// Takes the tasks that are sent again out of those that were sent to a lost process: gives the others, and whether
    /// each has ended.
    pub(super) fn keep_to_send_again(&mut self, lost: ProcessId, sent: Vec<(SentTask, bool)>) -> Vec<(SentTask, bool)> {
        if self.state.membership.ended() || !self.recovers() {
            return sent;
        }
        let kept = self.state.recovery.as_mut().map_or_else(Vec::new, |recovery| recovery.tasks.lost(lost));
        let all = sent.into_iter().chain(kept.into_iter().map(|(task, _)| (task, true)));
        let mut others = Vec::new();
        for (mut task, ended) in all {
            let outputs = task.again.as_ref().map_or_else(Vec::new, |again| again.outputs());
            let reason = if ended && outputs.iter().all(|id| has_outcome(*id)) { None } else { self.refusal(&task) };
            let Some(recovery) = &mut self.state.recovery else { continue };
            if reason.is_none() && !(ended && outputs.iter().all(|id| has_outcome(*id))) {
                recovery.again.push((task, ended));
                recovery.reopened.extend(&outputs);
                continue;
            }
            recovery.tasks.forget(&outputs);
            if let Some(reason) = reason {
                let name = task.description;
                recovery.reason.get_or_insert_with(|| format!("processing '{name}' does not run again: {reason}"));
            }
            task.again = None;
            others.push((task, ended));
        }
        others
    }

    /// Why a task cannot run again.
    fn refusal(&self, task: &SentTask) -> Option<String> {
        let Some(again) = &task.again else { return Some("an output of it has its home in another process".into()) };
        let gone = again.task.ids.iter().find(|id| !self.state.membership.is_alive(id.home()))?;
        Some(format!("datum {gone} had its home in process {}", gone.home()))
    }

    /// If a datum of this process is an output of a task that is sent again: its bytes are here, or it is a promise as before.
    pub(super) fn reopen(&mut self, id: DatumId) -> bool {
        let Some(recovery) = &self.state.recovery else { return false };
        if !recovery.reopened.contains(&id) {
            return false;
        }
        let Some(near) = self.state.near.get_mut(&id) else { return false };
        near.producer = None;
        let ticket = near.ticket.take();
        match STORE.marked(id).and_then(|found| found.outcome) {
            Some(Outcome::Published) => near.place = BytesPlace::Here,
            Some(Outcome::Poisoned) => {}
            None => {
                near.place = BytesPlace::Nowhere;
                near.promise.reopen();
            }
        }
        if let Some(ticket) = ticket {
            self.state.requests.remove(&ticket);
        }
        true
    }

    /// Something that only the lost process had is given up.
    pub(super) fn not_recovered(&mut self, reason: impl FnOnce() -> String) {
        if let Some(recovery) = &mut self.state.recovery {
            recovery.reason.get_or_insert_with(reason);
        }
    }

    /// What a loss has cost, for the next wait: nothing, if all of it is recovered. Gives the tasks that are to be sent again.
    pub(super) fn judge_loss(&mut self, lost: ProcessId, why: &str) -> Vec<(SentTask, bool)> {
        let scheduled = self.state.runs.all_mut().any(|run| run.from == lost);
        let Some(recovery) = &mut self.state.recovery else { return Vec::new() };
        if scheduled {
            recovery.reason.get_or_insert_with(|| "it had scheduled tasks here, and may have meant to go on".into());
        }
        if !recovery.serving.contains(lost) {
            recovery.unserved.get_or_insert_with(|| {
                format!(
                    "process {lost} is lost ({why}), and was not in dvm_serve: what its main function would have done \
                     is not known"
                )
            });
        }
        recovery.serving.remove(lost);
        recovery.reopened.clear();
        let failures = recovery.failures.remove(&lost);
        let (again, reason) = (std::mem::take(&mut recovery.again), recovery.reason.take());
        if let Some(reason) = reason {
            let text = format!("process {lost} is lost ({why}), and not all is recovered: {reason}");
            self.state.lost.get_or_insert(text);
        }
        // Nobody else would tell of them.
        if let Some((count, text)) = failures {
            (0..count).for_each(|_| self.call.count_failure(|| text.clone()));
        }
        self.call.note(|| format!("process {lost} is lost ({why}): {} of its tasks run again", again.len()));
        if !again.is_empty() {
            // The end would be decided without them.
            self.busy();
        }
        again
    }

    /// A process says that a task has failed there, which it counts itself as long as it lives.
    pub(super) fn failed_elsewhere(&mut self, from: ProcessId, text: &str) {
        if let Some(recovery) = &mut self.state.recovery {
            recovery.failures.entry(from).or_insert_with(|| (0, text.to_owned())).0 += 1;
        }
    }

    /// An end has told of all failures.
    pub(super) fn forget_failures_elsewhere(&mut self) {
        if let Some(recovery) = &mut self.state.recovery {
            recovery.failures.clear();
        }
    }

    /// Sends tasks of a lost process again.
    pub(super) fn send_again(&mut self, tasks: Vec<(SentTask, bool)>) {
        for (task, ended) in tasks {
            let Some(again) = task.again else { continue };
            if ended {
                self.call.count_scheduled();
            }
            let Repetition { mut task, carried } = *again;
            task.target = self.placed(task.target);
            let made: Vec<usize> = task.signature.outputs().filter(|place| has_outcome(task.ids[*place])).collect();
            for place in made {
                let id = task.ids[place];
                match self.stand_in(id, &carried) {
                    Ok(stand_in) => task.ids[place] = stand_in,
                    Err(error) => self.no_room(id, &error),
                }
                if let Some(recovery) = &mut self.state.recovery {
                    recovery.tasks.forget(&[id]);
                }
                self.try_free(id);
            }
            self.dispatch(task.call());
        }
    }

    /// A promise for what a task makes again that is here already: nobody needs it.
    fn stand_in(&mut self, id: DatumId, carried: &[(DatumId, DatumId)]) -> Result<DatumId, Error> {
        let of = carried.iter().find(|(output, _)| *output == id).map(|(_, of)| *of);
        let size = STORE.size(id)?;
        let storage = of.filter(|of| of.is_here()).map_or(Storage::Absent, |of| Storage::Successor { of: of.number() });
        let home = self.call.any_home();
        let stand_in = self.data(|cache| STORE.proxy(cache, size, storage, false, home))?;
        STORE.claim_away(stand_in)?;
        if let Some(near) = self.near(stand_in) {
            near.carries = of.filter(|of| !of.is_here());
        }
        Ok(stand_in)
    }

    /// That a process was lost which did not serve, once. Who serves leaves it to the others what main functions do.
    pub(super) fn unserved(&mut self) -> Option<String> {
        let me = self.me();
        let recovery = self.state.recovery.as_mut()?;
        recovery.unserved.take().filter(|_| !recovery.serving.contains(me))
    }

    /// Says to the others that this process's main function schedules nothing more.
    pub(super) fn say_that_it_serves(&mut self) {
        if !self.recovers() {
            return;
        }
        let me = self.me();
        self.serves(me);
        let others: Vec<ProcessId> = self.state.membership.survivors().filter(|to| *to != me).collect();
        for to in others {
            self.send(to, &Message::Edge(Edge { room: SERVES, handle: 0, bytes: &[] }));
        }
    }

    /// A process says so, or this one.
    pub(super) fn serves(&mut self, process: ProcessId) {
        if let Some(recovery) = &mut self.state.recovery {
            recovery.serving.insert(process);
        }
    }
}
