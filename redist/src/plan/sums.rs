//! Sums by key, where the keys may be many.

use crate::error::Result;
use crate::room;

/// Amounts by key. A map of the standard library cannot be refused its memory.
#[derive(Debug)]
pub struct Sums<K> {
    /// The first `settled` in the order of their keys, each key once; then as they came.
    list: Vec<(K, i64)>,
    settled: usize,
}

/// So many entries at least are taken before equal keys are looked for.
const FEW: usize = 1024;

impl<K: Ord> Sums<K> {
    /// No sums yet.
    pub fn new() -> Self {
        Self { list: Vec::new(), settled: 0 }
    }

    /// Adds to the sum of a key.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn add(&mut self, key: K, amount: i64) -> Result<()> {
        if let Some(last) = self.list.last_mut().filter(|last| last.0 == key) {
            last.1 += amount;
            return Ok(());
        }
        if self.list.len() >= 2 * self.settled + FEW {
            self.settle();
        }
        room::push(&mut self.list, (key, amount))
    }

    /// All sums, keys ascending.
    pub fn ascending(mut self) -> Vec<(K, i64)> {
        self.settle();
        self.list
    }

    fn settle(&mut self) {
        self.list.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        self.list.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        self.settled = self.list.len();
    }
}

impl<K: Ord> Default for Sums<K> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_a_map() {
        let (mut sums, mut map) = (Sums::new(), std::collections::BTreeMap::new());
        for k in 0..20_000_i64 {
            let key = k * 7919 % 4001 / 2;
            sums.add(key, k).unwrap();
            *map.entry(key).or_insert(0) += k;
            assert!(sums.list.len() <= 3 * 2001 + FEW);
        }
        assert_eq!(sums.ascending(), map.into_iter().collect::<Vec<_>>());
    }
}
