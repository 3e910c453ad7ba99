//! A set of many workers: one bit for each, so that no thread looks at all workers. With few workers there is no set:
//! to look at all costs less than to maintain one.
//!
//! There are two sets: the workers that may have tasks for others (the holders), and the sleepers. A thread that puts a
//! task into a worker's queue adds the worker to the holders afterwards ([`WorkerSet::add`]). A worker that has run out
//! leaves the set ([`WorkerSet::leave`]) and then looks at its queue again. Either the adding thread sees that the
//! worker has left, or the worker sees the task (Dekker's pattern).

use super::planted::planted;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::fence;

/// Up to this number of workers, threads look at all. A model has only a few.
const LOOKED_AT: usize = if cfg!(loom) { 1 } else { 64 };

const BITS: usize = u64::BITS as usize;

/// A set of workers.
pub(crate) struct WorkerSet {
    /// The bits; empty with few workers.
    words: Box<[AtomicU64]>,
}

impl WorkerSet {
    /// An empty set for this number of workers.
    pub(crate) fn new(workers: usize) -> WorkerSet {
        let words = if workers > LOOKED_AT { workers.div_ceil(BITS) } else { 0 };
        WorkerSet { words: (0..words).map(|_| AtomicU64::new(0)).collect() }
    }

    /// True if there are so many workers that the set is kept.
    #[inline]
    pub(crate) fn is_kept(&self) -> bool {
        !self.words.is_empty()
    }

    /// Adds a worker into whose queue something was just put.
    #[inline]
    pub(crate) fn add(&self, worker: usize) {
        if self.is_kept() {
            self.add_to_many(worker);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_to_many(&self, worker: usize) {
        let (word, bit) = (&self.words[worker / BITS], 1 << (worker % BITS));
        if !planted("add_without_fence") {
            fence::full();
        }
        if word.load(Ordering::SeqCst) & bit == 0 {
            word.fetch_or(bit, Ordering::SeqCst);
        }
    }

    /// Removes the worker. Its queue may have been filled again in between: the worker looks at the queue after this
    /// call.
    #[inline]
    pub(crate) fn leave(&self, worker: usize) {
        let Some(word) = self.words.get(worker / BITS) else { return };
        let bit = 1 << (worker % BITS);
        if word.load(Ordering::Relaxed) & bit != 0 {
            word.fetch_and(!bit, Ordering::SeqCst);
            if !planted("leave_without_fence") {
                fence::full();
            }
        }
    }

    /// The other workers of the set, from this one upwards and around the end: mostly the nearest first, since workers
    /// are numbered along the tree. Workers that join or leave during the call may be missed.
    pub(crate) fn others(&self, me: usize) -> impl Iterator<Item = usize> + '_ {
        let (first, count) = (me / BITS, self.words.len());
        // Mostly the set is empty, which a few loads show.
        let nobody = self.words.iter().all(|word| word.load(Ordering::SeqCst) == 0);
        // The first word is visited twice: at first for the workers behind this one, at the end for those before it.
        let turns = if nobody { 0 } else { count + 1 };
        (0..turns).flat_map(move |turn| {
            let place = (first + turn) % count;
            let behind = (u64::MAX << (me % BITS)) & !(1 << (me % BITS));
            let before = !(u64::MAX << (me % BITS));
            let wanted = if turn == 0 {
                behind
            } else if turn == count {
                before
            } else {
                u64::MAX
            };
            Bits(self.words[place].load(Ordering::SeqCst) & wanted).map(move |bit| place * BITS + bit)
        })
    }
}

/// The positions of the bits that are set.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn few_workers_are_never_in_a_set() {
        let set = WorkerSet::new(LOOKED_AT);
        set.add(3);
        set.leave(3);
        assert!(!set.is_kept() && set.others(0).next().is_none());
    }

    #[test]
    fn the_others_come_from_each_worker_on_round_the_end() {
        for workers in [65, 128, 200, 4096] {
            let set = WorkerSet::new(workers);
            let all: Vec<usize> = (0..workers).filter(|worker| worker % 7 == 3 || worker % 64 == 63).collect();
            for &worker in &all {
                set.add(worker);
            }
            for me in [0, 3, 63, 64, workers - 1] {
                let expected: Vec<usize> =
                    all.iter().copied().filter(|&w| w > me).chain(all.iter().copied().filter(|&w| w < me)).collect();
                assert_eq!(set.others(me).collect::<Vec<_>>(), expected, "{workers} workers, from {me}");
            }
            for &worker in &all {
                set.leave(worker);
            }
            assert_eq!(set.others(0).next(), None);
        }
    }

    /// One thread adds work and then the worker; the worker leaves the set and looks again. There is never work while
    /// the worker is in no set and does not know of the work.
    #[test]
    fn nothing_is_overlooked_by_the_worker_that_leaves() {
        let (set, there) = (WorkerSet::new(100), AtomicU64::new(0));
        let rounds = 20_000;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..rounds {
                    there.fetch_add(1, Ordering::Release);
                    set.add(70);
                }
            });
            let mut seen = 0;
            while seen < rounds {
                seen += there.swap(0, Ordering::Acquire);
                set.leave(70);
                if there.load(Ordering::Acquire) > 0 {
                    set.add(70);
                }
            }
        });
        assert!(there.load(Ordering::Relaxed) == 0);
    }
}
