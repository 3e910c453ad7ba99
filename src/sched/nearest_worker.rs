//! The worker near a task's data (report, section 5.5).

use crate::machine::Machine;
use crate::memory;

/// Number of the last homes to search for an existing entry.
const LOOKED_THROUGH: usize = 32;

/// Input bytes by home: pairs of a worker and its bytes. With many pairs, a worker may occur twice.
pub(crate) struct Weights {
    homes: Vec<(u32, u64)>,
    /// Scratch memory for the cost of each home.
    costs: Vec<Cost>,
}

/// A home and its successor, in the order of the workers.
struct Cost {
    /// The distance between the two.
    gap: u64,
    /// Bytes times distance so far.
    sum: u128,
}

impl Weights {
    pub(crate) const fn new() -> Weights {
        Weights { homes: Vec::new(), costs: Vec::new() }
    }

    /// Removes all entries, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.homes.clear();
    }

    /// Adds an input. An empty input counts as one byte, so that its place still matters.
    #[inline]
    pub(crate) fn add(&mut self, home: u32, size: usize) {
        let bytes = (size as u64).max(1);
        match self.homes.last_mut() {
            Some((worker, sum)) if *worker == home => *sum = sum.saturating_add(bytes),
            _ => self.add_other(home, bytes),
        }
    }

    #[inline(never)]
    fn add_other(&mut self, home: u32, bytes: u64) {
        let before = self.homes.len().saturating_sub(LOOKED_THROUGH);
        match self.homes[before..].iter_mut().find(|(worker, _)| *worker == home) {
            Some((_, sum)) => *sum = sum.saturating_add(bytes),
            None => self.push(home, bytes),
        }
    }

    /// Without memory the input does not count; the task runs all the same.
    #[inline]
    fn push(&mut self, home: u32, bytes: u64) {
        if memory::room_for(&mut self.homes, 1).is_ok() {
            self.homes.push((home, bytes));
        }
    }

    /// Sorts the homes by worker, and merges duplicates.
    fn sort(&mut self) {
        self.homes.sort_unstable();
        self.homes.dedup_by(|again, first| {
            let same = again.0 == first.0;
            if same {
                first.1 = first.1.saturating_add(again.1);
            }
            same
        });
    }
}

/// The worker with at least half of the bytes; else the one with the least sum of bytes times distance; among equals,
/// the one with more bytes, then the first. `None` without inputs.
///
/// Half of the bytes suffice for the minimum: by the triangle inequality, a step away costs at least as much for those
/// bytes as it saves for the others.
#[inline]
pub(crate) fn near(machine: &Machine, weights: &mut Weights) -> Option<usize> {
    match weights.homes[..] {
        [] => None,
        [(only, _)] => Some(only as usize),
        _ => nearest(machine, weights),
    }
}

fn nearest(machine: &Machine, weights: &mut Weights) -> Option<usize> {
    weights.sort();
    let homes = &weights.homes;
    let &(heaviest, most) = homes.iter().max_by_key(|&&(worker, bytes)| (bytes, std::cmp::Reverse(worker)))?;
    let total: u128 = homes.iter().map(|&(_, bytes)| u128::from(bytes)).sum();
    if u128::from(most) * 2 >= total {
        return Some(heaviest as usize);
    }
    if machine.is_tree() {
        nearest_home(machine, weights, total, heaviest as usize)
    } else {
        nearest_of_all(machine, weights)
    }
}

/// In a tree some home has the least cost: the home nearest to a worker is no farther from each home than that worker.
///
/// The cost of a home is the sum, over all distances, of the bytes farther away. Homes within a distance are
/// contiguous, so each distance takes one pass. Without memory, the heaviest home will do.
fn nearest_home(machine: &Machine, weights: &mut Weights, total: u128, heaviest: usize) -> Option<usize> {
    let Weights { homes, costs } = weights;
    costs.clear();
    if memory::room_for(costs, homes.len()).is_err() {
        return Some(heaviest);
    }
    let next = homes.iter().skip(1).map(Some).chain([None]);
    costs.extend(homes.iter().zip(next).map(|(&(home, _), next)| {
        let gap = next.map_or(u64::MAX, |&(next, _)| machine.distance(home as usize, next as usize));
        Cost { gap, sum: 0 }
    }));
    let farthest = costs.iter().map(|cost| cost.gap).filter(|&gap| gap != u64::MAX).max()?;
    for distance in 0..farthest {
        let mut first = 0;
        while first < homes.len() {
            let mut end = first + 1;
            let mut within = u128::from(homes[first].1);
            while end < homes.len() && costs[end - 1].gap <= distance {
                within += u128::from(homes[end].1);
                end += 1;
            }
            costs[first..end].iter_mut().for_each(|cost| cost.sum += total - within);
            first = end;
        }
    }
    let ranked = homes.iter().zip(costs.iter());
    let best = ranked.min_by_key(|((worker, bytes), cost)| (cost.sum, std::cmp::Reverse(*bytes), *worker))?;
    Some(best.0.0 as usize)
}

/// The same with latencies, where distances are not a tree's.
fn nearest_of_all(machine: &Machine, weights: &Weights) -> Option<usize> {
    let cost = |worker: usize| -> u128 {
        let far = |home: u32| u128::from(machine.distance(worker, home as usize));
        weights.homes.iter().map(|&(home, bytes)| u128::from(bytes) * far(home)).sum()
    };
    let held = |worker: usize| {
        let place = weights.homes.binary_search_by_key(&(worker as u32), |&(home, _)| home);
        place.map_or(0, |place| weights.homes[place].1)
    };
    (0..machine.workers()).min_by_key(|&worker| (cost(worker), std::cmp::Reverse(held(worker)), worker))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::config::Config;
    use testkit::Random;

    /// The costs computed from home to home equal the costs over all workers, on trees of several shapes.
    #[test]
    fn in_a_tree_the_best_home_is_the_best_worker() {
        for shape in ["pu:7", "pack:4 core:4 pu:2", "pack:3 core:5 pu:1", "pack:2 numa:2 core:3 pu:2"] {
            let config = Config::read(|name| (name == "DVM_SYNTHETIC").then(|| shape.into())).unwrap();
            let machine = Machine::configured(&config).unwrap();
            assert!(machine.is_tree());
            for mut random in testkit::seeds_from(7, 300).map(Random::new) {
                let mut weights = Weights::new();
                for _ in 0..=random.below(100) {
                    weights.add(random.below(machine.workers()) as u32, random.below(5));
                }
                let found = near(&machine, &mut weights);
                weights.sort();
                assert_eq!(found, nearest_of_all(&machine, &weights), "{shape}: {:?}", weights.homes);
            }
        }
    }
}
