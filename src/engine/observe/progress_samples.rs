//! For how long the workers have been at their tasks, as far as anybody has looked: the beginning of a task is not noted
//! anywhere, because reading a clock takes longer than the rest of a short task.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::sync::lock::Mutex;

use crate::engine::context::counts::WorkerCounts;

/// What a worker was seen at: a task, by its address, and how many had ended there. No task has both in common with
/// another one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    task: usize,
    ended: u64,
}

/// What each worker was last seen at, and when it was seen at that first.
#[derive(Default)]
pub(crate) struct ProgressSamples(Mutex<Vec<Option<(Sight, Instant)>>>);

impl Sight {
    /// What the worker with these counts is at; `None`: nothing, or one task after the other.
    pub(crate) fn of(counts: &WorkerCounts) -> Option<Sight> {
        let before = counts.ended.load(Ordering::Acquire);
        let task = counts.task()?;
        let ended = counts.ended.load(Ordering::Acquire);
        (before == ended).then_some(Sight { task, ended })
    }
}

impl ProgressSamples {
    /// Notes what a worker is at now, and gives the time when it was first seen at that.
    pub(crate) fn note(&self, worker: usize, sight: Option<Sight>, now: Instant) -> Option<Instant> {
        let mut all = self.0.lock();
        if all.len() <= worker {
            all.resize(worker + 1, None);
        }
        let first = all[worker].filter(|(before, _)| Some(*before) == sight).map(|(_, first)| first);
        all[worker] = sight.map(|sight| (sight, first.unwrap_or(now)));
        all[worker].map(|(_, first)| first)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_same_task_is_seen_since_it_was_first_seen() {
        let (progress_samples, start) = (ProgressSamples::default(), Instant::now());
        let at = |second: u64| start + Duration::from_secs(second);
        let sight = |task: usize, ended| Some(Sight { task, ended });
        assert_eq!(progress_samples.note(1, sight(64, 7), at(1)), Some(at(1)));
        assert_eq!(progress_samples.note(1, sight(64, 7), at(3)), Some(at(1)));
        assert_eq!(progress_samples.note(0, sight(64, 7), at(4)), Some(at(4)), "another worker");
        assert_eq!(progress_samples.note(1, sight(64, 8), at(5)), Some(at(5)), "another task at the same address");
        assert_eq!(
            progress_samples.note(1, sight(128, 8), at(6)),
            Some(at(6)),
            "a task that runs while the other blocks"
        );
        assert_eq!(progress_samples.note(1, None, at(7)), None);
        assert_eq!(progress_samples.note(1, sight(128, 8), at(8)), Some(at(8)), "as far as anybody has looked");
    }
}
