//! The tiles of a loop, divided among threads: each runs its own consecutive share, and then takes from the others'.

use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers `start .. end` in one word, so that a compare-exchange changes both ends.
///
/// A number belongs to the thread whose exchange takes it out of the word. The word is the whole state, so an exchange
/// that succeeds is right whatever has happened to the word meanwhile.
#[derive(Default)]
#[repr(align(128))]
struct Share(AtomicU64);

/// The greatest number of tiles that shares hold.
pub(super) const MOST_TILES: u64 = u32::MAX as u64;

impl Share {
    fn set(&self, start: u64, end: u64) {
        self.0.store(start << 32 | end, Ordering::Relaxed);
    }

    /// Takes the first number.
    fn first(&self) -> Option<u64> {
        self.take(|start, end| ((start + 1) << 32 | end, start))
    }

    /// Takes the last number.
    fn last(&self) -> Option<u64> {
        self.take(|start, end| (start << 32 | (end - 1), end - 1))
    }

    /// Takes a number; `change` gives the word that is left, and the number.
    fn take(&self, change: impl Fn(u64, u64) -> (u64, u64)) -> Option<u64> {
        let mut word = self.0.load(Ordering::Relaxed);
        loop {
            let (start, end) = (word >> 32, word & MOST_TILES);
            if start >= end {
                return None;
            }
            let (rest, number) = change(start, end);
            // What a tile has written reaches the next loop by the team's hand-over: relaxed suffices.
            match self.0.compare_exchange_weak(word, rest, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(number),
                Err(now) => word = now,
            }
        }
    }
}

/// Equal consecutive shares of `0 .. count`. In each loop of the same shape a thread meets the same part of the arrays.
pub(super) struct Shares(Box<[Share]>);

impl Shares {
    /// Empty shares for this number of threads.
    pub(super) fn new(threads: usize) -> Shares {
        Shares((0..threads).map(|_| Share::default()).collect())
    }

    /// Divides `0 .. count` anew; `count` is at most [`MOST_TILES`]. No thread takes anything meanwhile.
    pub(super) fn divide(&self, count: u64) {
        let threads = self.0.len() as u64;
        let begin = |part: u64| (u128::from(count) * u128::from(part) / u128::from(threads)) as u64;
        for (part, share) in (0..).zip(&self.0) {
            share.set(begin(part), begin(part + 1));
        }
    }

    /// Puts `0 .. count` into one share: threads take the numbers in order by `next_in_order`.
    pub(super) fn put_in_order(&self, count: u64) {
        for (part, share) in self.0.iter().enumerate() {
            share.set(0, if part == 0 { count } else { 0 });
        }
    }

    /// The lowest number that nobody has taken.
    pub(super) fn next_in_order(&self) -> Option<u64> {
        self.0.first()?.first()
    }

    /// The next number for a thread: the first of its own share, or the last of another one.
    pub(super) fn next(&self, thread: usize) -> Option<u64> {
        let others = || (1..self.0.len()).map(|step| (thread + step) % self.0.len());
        self.0[thread].first().or_else(|| others().find_map(|other| self.0[other].last()))
    }

    /// Leaves no numbers; returns how many there were.
    pub(super) fn left(&self) -> u64 {
        self.0.iter().map(|share| share.0.load(Ordering::Relaxed)).map(|word| (word & MOST_TILES) - (word >> 32)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn each_number_is_taken_once() {
        for (count, threads) in [(0, 1), (1, 3), (7, 2), (1000, 4), (10_001, 3)] {
            let (shares, seen) = (Shares::new(threads), Mutex::new(Vec::new()));
            shares.divide(count);
            assert_eq!(shares.left(), count);
            std::thread::scope(|scope| {
                for thread in 0..threads {
                    let (shares, seen) = (&shares, &seen);
                    scope.spawn(move || {
                        let own: Vec<u64> = std::iter::from_fn(|| shares.next(thread)).collect();
                        seen.lock().expect("lock").extend(own);
                    });
                }
            });
            let mut seen = seen.into_inner().expect("lock");
            seen.sort_unstable();
            assert_eq!(seen, (0..count).collect::<Vec<_>>());
            assert_eq!(shares.left(), 0);
        }
    }

    #[test]
    fn numbers_in_order_are_taken_in_order_by_all() {
        let shares = Shares::new(3);
        shares.divide(9);
        shares.put_in_order(4);
        assert_eq!(shares.left(), 4);
        let taken: Vec<u64> = std::iter::from_fn(|| shares.next_in_order()).collect();
        assert_eq!(taken, [0, 1, 2, 3]);
    }

    #[test]
    fn a_thread_begins_with_its_own_share_and_takes_others_from_their_ends() {
        let shares = Shares::new(2);
        shares.divide(6);
        let taken: Vec<u64> = std::iter::from_fn(|| shares.next(1)).collect();
        assert_eq!(taken, [3, 4, 5, 2, 1, 0]);
    }
}
