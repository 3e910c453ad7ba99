//! Sets of processes: no memory of their own up to 64 processes.

use crate::id::ProcessId;

const BITS: usize = 64;

/// A set of processes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessSet {
    low: u64,
    /// The processes from 64 on; its last word is not zero.
    high: Vec<u64>,
}

fn place(process: ProcessId) -> (usize, u64) {
    let index = process.index() as usize;
    (index / BITS, 1 << (index % BITS))
}

impl ProcessSet {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether this one is there.
    pub fn contains(&self, process: ProcessId) -> bool {
        let (word, bit) = place(process);
        self.words().nth(word).is_some_and(|word| word & bit != 0)
    }

    /// Adds one; says whether it is new.
    pub fn insert(&mut self, process: ProcessId) -> bool {
        let (word, bit) = place(process);
        let word = match word.checked_sub(1) {
            None => &mut self.low,
            Some(word) => {
                if self.high.len() <= word {
                    self.high.resize(word + 1, 0);
                }
                &mut self.high[word]
            }
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes one; says whether it was there.
    pub fn remove(&mut self, process: ProcessId) -> bool {
        let was = self.contains(process);
        let (word, bit) = place(process);
        match word.checked_sub(1) {
            None => self.low &= !bit,
            Some(word) => {
                if let Some(word) = self.high.get_mut(word) {
                    *word &= !bit;
                }
                while self.high.last() == Some(&0) {
                    self.high.pop();
                }
            }
        }
        was
    }

    /// All of them, the lowest first.
    pub fn iter(&self) -> impl Iterator<Item = ProcessId> + '_ {
        self.words()
            .enumerate()
            .flat_map(|(place, word)| {
                (0..BITS).filter(move |bit| word >> bit & 1 != 0).map(move |bit| (place * BITS + bit) as u32)
            })
            .map(ProcessId::from_index)
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().copied())
    }
}

impl FromIterator<ProcessId> for ProcessSet {
    fn from_iter<T: IntoIterator<Item = ProcessId>>(processes: T) -> ProcessSet {
        let mut set = ProcessSet::default();
        for process in processes {
            set.insert(process);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testkit::Random;

    #[test]
    fn it_is_a_set() {
        let mut random = Random::new(1);
        let (mut set, mut model) = (ProcessSet::default(), BTreeSet::new());
        for _ in 0..20_000 {
            let most = if random.one_in(2) { 64 } else { 300 };
            let process = ProcessId::from_index(random.below(most) as u32);
            assert_eq!(set.contains(process), model.contains(&process));
            if random.one_in(2) {
                assert_eq!(set.insert(process), model.insert(process));
            } else {
                assert_eq!(set.remove(process), model.remove(&process));
            }
            if random.one_in(50) {
                model.retain(|process| process.index() < 64);
                set = set.iter().filter(|process| process.index() < 64).collect();
            }
            assert_eq!((set.is_empty(), set.len()), (model.is_empty(), model.len()));
            assert!(set.iter().eq(model.iter().copied()));
            assert_eq!(set, model.iter().copied().collect(), "equal sets are equal values");
        }
    }
}
