//! Waits: when nothing is left in any process, and the verdict that all get.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::progress::EAGER;
use super::state::{EndWait, Ends, Handled, Remote, Step, ToldFailure, index};
use crate::engine::{Call, Goal, outstanding, under_way};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::protocol::Breach;
use crate::protocol::copies::Arrival;
use crate::protocol::termination::{Counts, TerminationAction, TerminationEvent};
use crate::wire::{End, Message, TEXT_BYTES, cut};

impl Step<'_> {
    /// Whether this process has nothing to do: a thread of it waits, and by that thread's rule nothing is left.
    fn is_idle(&self) -> bool {
        let Some(wait) = self.state.waits else { return false };
        let sent = !self.has_unsent();
        // After a loss tasks may wait for what nobody will publish.
        let lossless = self.state.membership.lost().is_empty();
        // Whoever serves takes part in the first end of finalize by that, and in the second by finalize.
        let none_runs = match wait.goal {
            Goal::Wait | Goal::Closed if lossless => outstanding() == 0,
            _ => under_way() == 0,
        };
        sent && none_runs
            && self.state.giving_back == 0
            && !self.call.owes()
            && self.state.transfers.is_empty()
            && self.state.requests.is_empty()
            && !self.state.code.shipments.is_busy()
    }

    /// Something has come: what was said about idleness does not hold any more.
    pub(super) fn busy(&mut self) {
        self.remote.may_be_idle.store(self.state.waits.is_some(), Ordering::Relaxed);
        let handled = self.terminate(TerminationEvent::Idle(false));
        self.own(handled);
    }

    /// To be called when something may have made the process idle.
    pub(super) fn look_around(&mut self) {
        self.flush();
        let idle = self.is_idle();
        if idle {
            self.remote.may_be_idle.store(false, Ordering::Relaxed);
            let (failures, first) = self.call.failures();
            self.state.termination.set_failures(failures);
            let me = self.me();
            self.note_first(first.map(|text| (me, dvm_retcode_t::DVM_ERR_TASK, text)));
        }
        let handled = self.terminate(TerminationEvent::Idle(idle));
        self.own(handled);
    }

    /// The same after what may have been the last that this process waited for: nobody else may be awake to see it.
    pub(super) fn look_around_if_last(&mut self) {
        if self.state.waits.is_some() && under_way() == 0 {
            self.look_around();
        }
    }

    /// Keeps the failure of the lowest process.
    pub(super) fn note_first(&mut self, first: Option<ToldFailure>) {
        if let Some(first) = first
            && self.state.first.as_ref().is_none_or(|known| first.0 < known.0)
        {
            self.state.first = Some(first);
        }
    }

    pub(super) fn terminate(&mut self, event: TerminationEvent) -> Handled {
        let mut actions = Vec::new();
        let stepped = self.state.termination.step(event, &mut actions);
        self.termination_actions(actions);
        stepped
    }

    pub(super) fn termination_actions(&mut self, actions: Vec<TerminationAction>) {
        for action in actions {
            match action {
                TerminationAction::Wave(to, wave) => self.send(to, &Message::Wave { wave }),
                TerminationAction::Answer(to, wave, Counts { sent, received, failures }) => {
                    let first = self.state.first.clone();
                    let first = first.as_ref().map(|(process, code, text)| (*process, *code, cut(text, TEXT_BYTES)));
                    self.send(to, &Message::Answer { wave, sent, received, failures, first });
                }
                TerminationAction::End(number, counts) => {
                    let (closing, first) = (self.state.closing, self.state.first.clone());
                    let first = first.as_ref().map(|(process, code, text)| (*process, *code, cut(text, TEXT_BYTES)));
                    self.end(&End { number, closing, first, failures: counts.failures });
                }
                TerminationAction::EndAgain(child) => {
                    let Ends { count, closing, verdict, failures, .. } = self.state.ends.clone();
                    let first = verdict.as_ref().map(|(process, code, text)| (*process, *code, cut(text, TEXT_BYTES)));
                    let closing = closing > 0;
                    self.send(child, &Message::End(End { number: count, closing, first, failures }));
                }
            }
        }
    }

    /// Another process says that nothing is left anywhere.
    pub(super) fn end_from(&mut self, from: ProcessId, end: &End<'_>) -> Handled {
        let Ends { count, closing, .. } = self.state.ends;
        let last = end.closing && (closing > 1 || (closing == 1 && end.number > count));
        if last {
            self.state.ends.farewells.insert(from);
            self.wake();
        }
        // The last end comes from all processes, the others from the parent.
        if self.state.termination.parent() != Some(from) && !last && end.number > count {
            return Err(Breach::new(from, "it announces the end, which is not its to announce"));
        }
        self.end(end);
        Ok(())
    }

    /// Nothing is left anywhere.
    fn end(&mut self, end: &End<'_>) {
        let Some(failures_told) = self.state.termination.end(end.number) else { return };
        self.state.ends.count = end.number;
        self.state.ends.closing += u32::from(end.closing);
        // After the last end a process may be gone at once: all have to hear from itself that this is no loss.
        let told: Vec<ProcessId> = if self.state.ends.closing > 1 {
            self.state.membership.survivors().filter(|process| *process != self.remote.me).collect()
        } else {
            self.state.termination.children().collect()
        };
        for process in told {
            self.send(process, &Message::End(*end));
        }
        self.state.ends.failures = end.failures;
        self.state.ends.verdict = end.first.map(|(process, code, text)| (process, code, text.to_owned()));
        // The next end is looked for once a thread waits for it.
        self.state.waits = self.state.waits.filter(|wait| !self.has_come(*wait));
        self.state.first = None;
        self.call.forget_failures(failures_told);
        self.forget_failures_elsewhere();
        self.busy();
        self.wake();
    }

    /// What a wait that has ended returns.
    fn verdict(&mut self) -> Result<(), Error> {
        let lost = self.state.lost.take().or_else(|| self.unserved());
        if self.state.membership.ended() {
            return Err(super::losses::out_of_the_job());
        }
        if let Some(lost) = lost {
            return Err(Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, lost));
        }
        let Ends { verdict, failures, .. } = &self.state.ends;
        let Some((process, _, text)) = verdict.as_ref().filter(|_| *failures > 0) else { return Ok(()) };
        let (tasks, others) = if *failures == 1 { ("task", "") } else { ("tasks", "; and others") };
        let text = format!("{failures} {tasks} failed; in process {process}: {text}{others}");
        Err(Error::new(dvm_retcode_t::DVM_ERR_TASK, text))
    }

    /// Whether the end has come that a thread waits for.
    fn has_come(&self, wait: EndWait) -> bool {
        let Ends { count, closing, .. } = self.state.ends;
        match wait.goal {
            Goal::Wait => count > wait.ends || closing > 0,
            Goal::Serve | Goal::Quiet => closing > 0,
            Goal::Closed => closing > 1,
        }
    }

    /// Whether that thread may go on.
    fn is_over(&self, wait: EndWait) -> bool {
        let leaves = wait.goal != Goal::Closed || self.all_know_the_end();
        self.state.membership.ended() || (self.has_come(wait) && leaves) || self.call.defect().is_some()
    }

    /// Whether all others know that nothing is left: who leaves earlier looks lost, and what comes later would meet the
    /// next life of this process. One that does not answer is not waited for.
    fn all_know_the_end(&self) -> bool {
        let mut others = self.state.membership.survivors().filter(|process| *process != self.me());
        others.all(|other| {
            let told = self.state.outboxes[index(other)].is_empty();
            (told && self.state.ends.farewells.contains(other)) || self.too_long_silent(other).is_some()
        })
    }
}

impl Step<'_> {
    /// Nothing comes any more: tasks that wait here end without having run, and what others have is not waited for. After a
    /// loss there may be such tasks: they wait for one another, or for a process that waits as well.
    pub(super) fn give_up_waiting(&mut self) {
        let mut pending: Vec<u64> = self.state.pending.keys().copied().collect();
        pending.sort_unstable();
        for number in pending {
            let Some(task) = self.state.pending.remove(&number) else { continue };
            let name = task.signature.description;
            self.refuse(task.call(), dvm_retcode_t::DVM_ERR_STATE, || {
                format!("processing '{name}' was not run: the job has ended before its inputs were found")
            });
        }
        let mut waiting: Vec<Arrival> = self.state.runs.all_waiting().map(|(arrival, _)| arrival).collect();
        waiting.sort_unstable();
        for arrival in waiting {
            self.copies(|copies, actions| copies.withdraw(arrival, actions));
            if self.state.runs.waiting(arrival).is_some() {
                self.cancel(arrival);
            }
        }
        let me = index(self.me());
        for other in (0..self.state.sent.len()).filter(|at| *at != me) {
            let sent: Vec<_> = self.state.sent[other].lost().collect();
            for (task, ended) in sent {
                if !ended {
                    self.call.count_cancelled();
                    self.call.count_ended_elsewhere();
                }
                task.inputs.into_iter().for_each(|id| self.release(id));
            }
        }
    }
}

impl Remote {
    /// Waits, with all processes.
    pub(super) fn wait_for(&self, call: &Call, goal: Goal) -> Result<(), Error> {
        let wait = self.step(call, |step| {
            let wait = EndWait { goal, ends: step.state.ends.count };
            step.state.waits = Some(wait).filter(|wait| !step.has_come(*wait));
            step.state.closing = matches!(goal, Goal::Quiet | Goal::Closed);
            self.may_be_idle.store(true, Ordering::Relaxed);
            if goal == Goal::Serve {
                step.say_that_it_serves();
            }
            wait
        });
        self.drive(call, EAGER, |step| {
            if !step.is_over(wait) && step.state.waits.is_some() {
                step.look_around();
            }
            step.is_over(wait)
        });
        self.step(call, |step| {
            step.state.waits = None;
            step.busy();
            match step.call.defect() {
                Some(defect) => Err(defect),
                None => step.verdict(),
            }
        })
    }

    /// Serves until process 0 finalizes, the process is out of its job, or something else has come that it is to do.
    pub(super) fn serve_until(&self, call: &Call, patience: Duration, come: &mut dyn FnMut(&mut Step<'_>) -> bool) {
        let wait = self.step(call, |step| {
            let wait = EndWait { goal: Goal::Serve, ends: step.state.ends.count };
            step.state.waits = Some(wait).filter(|wait| !step.has_come(*wait));
            self.may_be_idle.store(true, Ordering::Relaxed);
            wait
        });
        self.drive(call, patience, |step| {
            let over = come(step) || step.is_over(wait);
            if !over && step.state.waits.is_some() {
                step.look_around();
            }
            over
        });
        self.step(call, |step| {
            step.state.waits = None;
            step.busy();
        });
    }
}
