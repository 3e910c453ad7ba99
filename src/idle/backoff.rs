//! How rarely an idle worker looks for tasks.
//!
//! Each look takes the line with the worker's stealable inbox away from whoever is about to write to it, and a worker
//! that runs each task at once shares the lines of its data with the submitter, too. Where tasks come in a stream, a
//! worker that looks rarely finds several, and the lines change hands once for all of them. Where somebody waits for
//! the tasks before there are more, it only comes late. Both look alike, so the worker tries: it goes on with a longer
//! pause if that brings it more tasks at a time, and else goes back.

/// Pauses between two looks that nobody minds; each takes some tens of nanoseconds.
const FEW: u32 = 8;

/// The most pauses between two looks.
const MOST: u32 = 64;

/// With so many tasks at a time the lines that change hands no longer count.
const ENOUGH: u32 = 16;

/// A pause that has proved right is kept for so many bursts of tasks before another one is tried.
const KEPT: u32 = 64;

/// A change that was made to see what comes of it.
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
    /// The tasks that came at a time before the trial.
    before: u32,
    /// Bursts until the next trial.
    kept: u32,
    /// What the next trial is.
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

    /// Nothing was found.
    pub(crate) fn in_vain(&mut self) {
        self.pauses = (2 * self.pauses).min(FEW).max(self.pauses);
    }

    /// The worker has run out of tasks after so many.
    pub(crate) fn ran(&mut self, tasks: u32) {
        if tasks <= 1 {
            self.pauses = self.pauses.min(FEW);
            self.trial = Trial::None;
            return;
        }
        match std::mem::replace(&mut self.trial, Trial::None) {
            Trial::None if self.kept > 0 => self.kept -= 1,
            Trial::None => self.begin(tasks),
            trial => self.judge(trial, tasks),
        }
    }

    /// Tries another pause, where there is one to try.
    fn begin(&mut self, tasks: u32) {
        let trial = self.next;
        self.next = if trial == Trial::Longer { Trial::Shorter } else { Trial::Longer };
        let wanted = match trial {
            Trial::Shorter => self.pauses > FEW,
            _ => tasks < ENOUGH && (FEW..MOST).contains(&self.pauses),
        };
        if wanted {
            self.before = tasks;
            self.trial = trial;
            self.pauses = if trial == Trial::Longer { 2 * self.pauses } else { self.pauses / 2 };
        }
    }

    /// Keeps the longer pause if it brought half as many tasks again; the shorter one unless the longer had brought
    /// that.
    fn judge(&mut self, trial: Trial, tasks: u32) {
        let more = |many: u32, few: u32| 2 * u64::from(many) >= 3 * u64::from(few);
        let right = if trial == Trial::Longer { more(tasks, self.before) } else { !more(self.before, tasks) };
        if right {
            // Further in this direction.
            (self.kept, self.next) = (0, trial);
        } else {
            self.pauses = if trial == Trial::Longer { self.pauses / 2 } else { 2 * self.pauses };
            self.kept = KEPT;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pause after so many bursts, of which each brings what `tasks` says of the pause before it, and the longest
    /// one among the last half.
    fn after(backoff: &mut Backoff, bursts: u32, tasks: impl Fn(u32) -> u32) -> (u32, u32) {
        let mut longest = 0;
        for burst in 0..bursts {
            let pauses = backoff.pauses();
            backoff.in_vain();
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
            let useful = (FEW..=MOST).find(|&pauses| pauses.is_power_of_two() && stream(pauses) >= ENOUGH);
            if pauses_per_task <= 3 {
                assert!(last >= useful.unwrap_or(MOST) / 2, "{pauses_per_task}: {last}");
            }
            assert!(last <= MOST);
        }
    }

    #[test]
    fn where_as_many_come_after_any_pause_it_stays_short() {
        for tasks in [2, 4, 12, 15, 100] {
            let mut backoff = Backoff::new();
            let (last, longest) = after(&mut backoff, 1000, |_| tasks);
            assert!(last <= 2 * FEW && longest <= 2 * FEW, "{tasks}: {last} {longest}");
            let tried = (0..1000).filter(|_| after(&mut backoff, 1, |_| tasks).0 > FEW).count();
            assert!(tried <= 20, "{tasks}: {tried} of 1000 bursts came later");
        }
    }

    #[test]
    fn a_pause_that_no_longer_brings_anything_becomes_short_again() {
        for tasks in [1, 2, 4, 12, 40] {
            let mut backoff = Backoff::new();
            assert!(after(&mut backoff, 1000, |pauses| 2 + pauses / 3).0 > FEW);
            let (last, longest) = after(&mut backoff, 500, |_| tasks);
            assert!(last <= 2 * FEW && longest <= 2 * FEW, "{tasks}: {last} {longest}");
        }
    }
}
