//! Tiles that may have no predecessor, handed out to the workers in ranges.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sync::lock::Mutex;

/// A range of root numbers on a cache line of its own.
#[repr(align(64))]
struct Part {
    /// Whether the range is not empty: written under the lock, read without it by workers in search of work.
    any: AtomicBool,
    range: Mutex<Range<u64>>,
}

impl Part {
    fn new(range: Range<u64>) -> Self {
        Self { any: AtomicBool::new(!range.is_empty()), range: Mutex::new(range) }
    }

    /// Changes the range; `None` when it is empty.
    fn change<R>(&self, change: impl FnOnce(&mut Range<u64>) -> R) -> Option<R> {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        let mut range = self.range.lock();
        let result = (!range.is_empty()).then(|| change(&mut range));
        self.any.store(!range.is_empty(), Ordering::Relaxed);
        result
    }
}

/// Numbers `0 .. count`, each handed out once. Each worker starts with an equal consecutive part, so that it meets the
/// same part of the arrays in every graph of the same shape; a worker with an empty part takes half of another's rest.
pub(crate) struct Roots {
    parts: Box<[Part]>,
}

impl Roots {
    /// `count` roots for `workers` workers.
    pub(crate) fn new(count: u64, workers: usize) -> Self {
        let share = |part: usize| (u128::from(count) * part as u128 / workers as u128) as u64;
        Self { parts: (0..workers).map(|w| Part::new(share(w)..share(w + 1))).collect() }
    }

    /// Takes the next `most` roots of the worker's own part, or what is left.
    pub(crate) fn next(&self, worker: usize, most: u64) -> Option<Range<u64>> {
        self.parts[worker].change(|range| {
            let first = range.start;
            range.start += most.min(range.end - first);
            first..range.start
        })
    }

    /// Returns the unused end of a range from `next`, before the worker takes anything else from its part.
    pub(crate) fn give_back(&self, worker: usize, rest: Range<u64>) {
        if rest.is_empty() {
            return;
        }
        let part = &self.parts[worker];
        let mut range = part.range.lock();
        // Others only take from the end: a non-empty rest continues where `rest` ends.
        *range = if range.is_empty() { rest } else { rest.start..range.end };
        part.any.store(true, Ordering::Relaxed);
    }

    /// Moves the later half of `victim`'s rest to `worker`, whose part is empty. False if there was nothing.
    pub(crate) fn take_half(&self, worker: usize, victim: usize) -> bool {
        let taken = self.parts[victim].change(|range| {
            let middle = range.end - (range.end - range.start).div_ceil(2);
            let taken = middle..range.end;
            range.end = middle;
            taken
        });
        let Some(taken) = taken else { return false };
        let mine = &self.parts[worker];
        *mine.range.lock() = taken;
        mine.any.store(true, Ordering::Relaxed);
        true
    }

    /// Empties the worker's own part, and returns how many roots it had.
    pub(crate) fn abandon(&self, worker: usize) -> u64 {
        self.next(worker, u64::MAX).map_or(0, |range| range.end - range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_root_is_given_out_once() {
        for (count, workers) in [(0, 3), (1, 4), (7, 3), (1000, 8)] {
            let roots = Roots::new(count, workers);
            let mut seen = Vec::new();
            // Only the last worker works: it must take everything from the others.
            let worker = workers - 1;
            loop {
                while let Some(given) = roots.next(worker, 1 + seen.len() as u64 % 7) {
                    // Uses one root, and returns the rest.
                    roots.give_back(worker, given.start + 1..given.end);
                    seen.push(given.start);
                }
                if !(0..worker).any(|victim| roots.take_half(worker, victim)) {
                    break;
                }
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn abandoned_roots_are_counted() {
        let roots = Roots::new(10, 2);
        assert_eq!(roots.next(0, 1), Some(0..1));
        assert_eq!((roots.abandon(0), roots.abandon(1), roots.next(1, 1)), (4, 5, None));
    }
}
