//! For how long each worker has been seen at its task. The beginning of a task is not recorded: reading a clock takes
//! longer than the rest of a short task.

use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::sync::lock::Mutex;

use crate::engine::context::worker_counts::WorkerCounts;

/// A sample of a worker: the address of its task, and the number of tasks that had ended there. The pair identifies one
/// execution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    task: usize,
    ended: u64,
}

/// The last sample of each worker, and the time at which that sample was first seen.
#[derive(Default)]
pub(crate) struct ProgressSamples(Mutex<Vec<Option<(Sight, Instant)>>>);

impl Sight {
    /// A sample from a worker's counts; `None` if the worker runs nothing, or changed its task during the call.
    pub(crate) fn of(counts: &WorkerCounts) -> Option<Sight> {
        let before = counts.ended.load(Ordering::Acquire);
        let task = counts.task()?;
        let ended = counts.ended.load(Ordering::Acquire);
        (before == ended).then_some(Sight { task, ended })
    }
}

impl ProgressSamples {
    /// Notes a sample of a worker, and returns the time at which the same sample was first seen.
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
