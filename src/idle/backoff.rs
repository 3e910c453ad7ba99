//! The rate at which an idle worker looks for tasks.
//!
//! Each look takes the cache line with the worker's stealable inbox away from a thread that is about to write to it. A
//! worker that runs each task at once also shares the lines of its data with the submitter. If tasks come in a stream,
//! a worker that looks rarely finds several, and the lines change hands once for all of them. If a thread waits for the
//! tasks before it makes more, a rare look only adds delay. The worker cannot tell the two apart, so it tries: it keeps
//! a longer pause if that brings more tasks at a time, and otherwise returns to the shorter one.

/// The largest number of pauses between two looks that adds no noticeable delay; a pause takes some tens of
/// nanoseconds.
const UNNOTICED_PAUSES: u32 = 8;

/// The largest number of pauses between two looks.
const MAX_PAUSES: u32 = 64;

/// With this number of tasks at a time, the transfer of cache lines no longer matters.
const MANY_TASKS: u32 = 16;

/// The number of bursts of tasks for which a pause is kept before another one is tried.
const KEPT_BURSTS: u32 = 64;

/// A change of the pause whose effect is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    None,
    Longer,
    Shorter,
}

/// The pause of one worker.
#[derive(Debug)]
pub(crate) struct Backoff {
    pauses: u32,
    trial: Trial,
    /// The tasks per burst before the trial.
    before: u32,
    /// Bursts until the next trial.
    kept: u32,
    /// The next trial.
    next: Trial,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { pauses: 1, trial: Trial::None, before: 0, kept: 0, next: Trial::Longer }
    }

    /// Pauses until the next look.
    pub(crate) fn pauses(&self) -> u32 {
        self.pauses
    }

    /// Reports a look that found nothing.
    pub(crate) fn found_nothing(&mut self) {
        self.pauses = (2 * self.pauses).min(UNNOTICED_PAUSES).max(self.pauses);
    }

    /// Reports that the worker has run out of tasks after this number.
    pub(crate) fn ran(&mut self, tasks: u32) {
        if tasks <= 1 {
            self.pauses = self.pauses.min(UNNOTICED_PAUSES);
            self.trial = Trial::None;
            return;
        }
        match std::mem::replace(&mut self.trial, Trial::None) {
            Trial::None if self.kept > 0 => self.kept -= 1,
            Trial::None => self.begin(tasks),
            trial => self.judge(trial, tasks),
        }
    }

    /// Tries another pause, if there is one to try.
    fn begin(&mut self, tasks: u32) {
        let trial = self.next;
        self.next = if trial == Trial::Longer { Trial::Shorter } else { Trial::Longer };
        let wanted = match trial {
            Trial::Shorter => self.pauses > UNNOTICED_PAUSES,
            _ => tasks < MANY_TASKS && (UNNOTICED_PAUSES..MAX_PAUSES).contains(&self.pauses),
        };
        if wanted {
            self.before = tasks;
            self.trial = trial;
            self.pauses = if trial == Trial::Longer { 2 * self.pauses } else { self.pauses / 2 };
        }
    }

    /// Keeps a longer pause if it brought at least half as many tasks again. Keeps a shorter one unless the longer had
    /// brought that.
    fn judge(&mut self, trial: Trial, tasks: u32) {
        let more = |many: u32, few: u32| 2 * u64::from(many) >= 3 * u64::from(few);
        let right = if trial == Trial::Longer { more(tasks, self.before) } else { !more(self.before, tasks) };
        if right {
            // The next trial goes further in this direction.
            (self.kept, self.next) = (0, trial);
        } else {
            self.pauses = if trial == Trial::Longer { self.pauses / 2 } else { 2 * self.pauses };
            self.kept = KEPT_BURSTS;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pause after this number of bursts, and the longest pause in their second half. `tasks` gives the tasks of a
    /// burst for the pause before it.
    fn after(backoff: &mut Backoff, bursts: u32, tasks: impl Fn(u32) -> u32) -> (u32, u32) {
        let mut longest = 0;
        for burst in 0..bursts {
            let pauses = backoff.pauses();
            backoff.found_nothing();
            backoff.ran(tasks(pauses));
            longest = if burst >= bursts / 2 { longest.max(backoff.pauses()) } else { 0 };
        }
        (backoff.pauses(), longest)
    }

    #[test]
    fn in_a_stream_the_pauses_grow_until_tasks_come_in_numbers() {
        for pauses_per_task in [1, 2, 3, 8, 50] {
            let stream = |pauses: u32| 2 + pauses / pauses_per_task;
            let (last, _) = after(&mut Backoff::new(), 1000, stream);
            let useful = (UNNOTICED_PAUSES..=MAX_PAUSES)
                .find(|&pauses| pauses.is_power_of_two() && stream(pauses) >= MANY_TASKS);
            if pauses_per_task <= 3 {
                assert!(last >= useful.unwrap_or(MAX_PAUSES) / 2, "{pauses_per_task}: {last}");
            }
            assert!(last <= MAX_PAUSES);
        }
    }

    #[test]
    fn where_as_many_come_after_any_pause_it_stays_short() {
        for tasks in [2, 4, 12, 15, 100] {
            let mut backoff = Backoff::new();
            let (last, longest) = after(&mut backoff, 1000, |_| tasks);
            assert!(last <= 2 * UNNOTICED_PAUSES && longest <= 2 * UNNOTICED_PAUSES, "{tasks}: {last} {longest}");
            let tried = (0..1000).filter(|_| after(&mut backoff, 1, |_| tasks).0 > UNNOTICED_PAUSES).count();
            assert!(tried <= 20, "{tasks}: {tried} of 1000 bursts came later");
        }
    }

    #[test]
    fn a_pause_that_no_longer_brings_anything_becomes_short_again() {
        for tasks in [1, 2, 4, 12, 40] {
            let mut backoff = Backoff::new();
            assert!(after(&mut backoff, 1000, |pauses| 2 + pauses / 3).0 > UNNOTICED_PAUSES);
            let (last, longest) = after(&mut backoff, 500, |_| tasks);
            assert!(last <= 2 * UNNOTICED_PAUSES && longest <= 2 * UNNOTICED_PAUSES, "{tasks}: {last} {longest}");
        }
    }
}
