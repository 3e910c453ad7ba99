//! Tiles that have received some of their inputs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use parking_lot::Mutex;

/// Spreads tile numbers; multiplication by the golden ratio (Knuth, TAOCP 6.4) is enough for distinct integers.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }
    fn write_u64(&mut self, number: u64) {
        let spread = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = spread ^ (spread >> 32);
    }
}

type Shard = HashMap<u64, u64, BuildHasherDefault<Spread>>;

/// A shard on a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Line(Mutex<Shard>);

/// Counts of missing inputs of the tiles that have been reached and are not ready. Holds only those: memory is
/// proportional to the tiles in flight, and a shard's memory is used again by the next tiles.
pub(crate) struct Pending {
    shards: Box<[Line]>,
}

impl Pending {
    /// A table for this many workers.
    pub(crate) fn new(workers: usize) -> Self {
        let count = (workers * 16).next_power_of_two();
        Self { shards: (0..count).map(|_| Line::default()).collect() }
    }

    fn shard(&self, number: u64) -> &Line {
        let mut hasher = Spread::default();
        hasher.write_u64(number);
        // The map takes its bits from both ends of the hash, the shard from the middle.
        &self.shards[(hasher.finish() >> 20) as usize & (self.shards.len() - 1)]
    }

    /// One more input of tile `number` is there, of `total()` in all (asked the first time only).
    /// True when it was the last one.
    pub(crate) fn arrive(&self, number: u64, total: impl FnOnce() -> u64) -> bool {
        match self.shard(number).0.lock().entry(number) {
            Entry::Occupied(mut entry) => {
                *entry.get_mut() -= 1;
                if *entry.get() > 0 {
                    return false;
                }
                entry.remove();
                true
            }
            Entry::Vacant(entry) => {
                let total = total();
                if total > 1 {
                    entry.insert(total - 1);
                }
                total <= 1
            }
        }
    }

    /// How many inputs a tile misses, if it waits.
    pub(crate) fn missing(&self, number: u64) -> Option<u64> {
        self.shard(number).0.lock().get(&number).copied()
    }

    /// The number of tiles that wait, and up to `most` of them with what they miss, in the order of their numbers.
    pub(crate) fn some(&self, most: usize) -> (usize, Vec<(u64, u64)>) {
        let (mut count, mut found) = (0, Vec::new());
        for shard in &self.shards {
            let shard = shard.0.lock();
            count += shard.len();
            found.extend(shard.iter().map(|(&number, &missing)| (number, missing)));
            found.sort_unstable();
            found.truncate(most);
        }
        (count, found)
    }

    /// Number of tiles that still wait, and one of them.
    pub(crate) fn left(&self) -> (usize, Option<u64>) {
        self.shards.iter().fold((0, None), |(count, sample), shard| {
            let shard = shard.0.lock();
            (count + shard.len(), sample.or_else(|| shard.keys().next().copied()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tile_is_ready_with_its_last_input_only() {
        let pending = Pending::new(2);
        for number in 0..1000 {
            assert!(pending.arrive(number, || 1), "one input: at once");
        }
        for round in 1..=3 {
            for number in 0..1000 {
                assert_eq!(pending.arrive(number, || 3), round == 3);
            }
        }
        assert_eq!(pending.left(), (0, None));
        assert!(!pending.arrive(5, || 2));
        assert_eq!(pending.left(), (1, Some(5)));
    }
}
