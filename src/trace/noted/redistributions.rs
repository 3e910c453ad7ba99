//! What rounds of redistributions moved: bytes by source and target memory.

use crate::sync::lock::Mutex;

/// So many different ones are noted; later ones are only counted.
const MOST: usize = 64;

/// A redistribution between more pairs of memories is only counted.
const MOST_PAIRS: usize = 100_000;

#[derive(Debug, Default)]
pub(in crate::trace) struct Redistributions {
    noted: Mutex<NotedRedistributions>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::trace) struct NotedRedistributions {
    pub(in crate::trace) list: Vec<MovedBytes>,
    /// Rounds that are not in the list.
    pub(in crate::trace) left_out: u64,
}

/// All rounds that moved the same bytes between the same memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::trace) struct MovedBytes {
    /// How many memories there are, also those from which nothing comes or to which nothing goes.
    pub(in crate::trace) sources: usize,
    pub(in crate::trace) targets: usize,
    /// Source, target and bytes of one round, ascending.
    pub(in crate::trace) pairs: Vec<(u32, u32, u64)>,
    pub(in crate::trace) rounds: u64,
}

impl Redistributions {
    /// Notes a round.
    pub(in crate::trace) fn note(
        &self,
        (sources, targets): (usize, usize),
        pairs: impl ExactSizeIterator<Item = (u32, u32, u64)> + Clone,
    ) {
        let mut noted = self.noted.lock();
        let is_same = |one: &&mut MovedBytes| {
            (one.sources, one.targets) == (sources, targets) && one.pairs.iter().copied().eq(pairs.clone())
        };
        if let Some(same) = noted.list.iter_mut().find(is_same) {
            same.rounds += 1;
        } else if noted.list.len() < MOST && pairs.len() <= MOST_PAIRS {
            noted.list.push(MovedBytes { sources, targets, pairs: pairs.collect(), rounds: 1 });
        } else {
            noted.left_out += 1;
        }
    }

    pub(in crate::trace) fn noted(&self) -> NotedRedistributions {
        self.noted.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rounds_are_counted_and_others_listed_up_to_a_number() {
        let all = Redistributions::default();
        for turn in 0..3 {
            all.note((2, 2), [(0, 1, 8), (1, 0, 8)].into_iter());
            all.note((2, 2), [(0, 1, 8 + turn)].into_iter());
        }
        let noted = all.noted();
        let rounds: Vec<u64> = noted.list.iter().map(|one| one.rounds).collect();
        assert_eq!((rounds, noted.left_out), (vec![3, 1, 1, 1], 0));
        for turn in 0..100 {
            all.note((2, 3), [(0, 0, turn)].into_iter());
        }
        let noted = all.noted();
        assert_eq!((noted.list.len(), noted.left_out), (MOST, 104 - MOST as u64));
    }
}
