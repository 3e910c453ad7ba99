//! The worker near a task's data (report, section 5.5).

use crate::machine::Machine;

/// How many input bytes lie where: pairs of a worker and its bytes, each worker once.
#[derive(Default)]
pub(crate) struct Weights(Vec<(u32, u64)>);

impl Weights {
    /// Nothing anywhere.
    pub(crate) const fn new() -> Weights {
        Weights(Vec::new())
    }

    /// Forgets everything, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Counts an input. An empty one counts as one byte, so that it still says where to go.
    pub(crate) fn add(&mut self, home: u32, size: usize) {
        let bytes = (size as u64).max(1);
        match self.0.iter_mut().find(|(worker, _)| *worker == home) {
            Some((_, sum)) => *sum = sum.saturating_add(bytes),
            None => self.0.push((home, bytes)),
        }
    }
}

/// The worker that holds at least half of the bytes; else the one with the least sum of bytes times distance, and among
/// equals the one that holds more bytes, then the first. `None` when there are no inputs.
///
/// Holding half of the bytes is enough to be the least: by the triangle inequality every step away from it costs those
/// bytes at least what it saves on the others.
#[inline]
pub(crate) fn near(machine: &Machine, weights: &Weights) -> Option<usize> {
    match weights.0[..] {
        [] => None,
        [(only, _)] => Some(only as usize),
        _ => nearest(machine, weights),
    }
}

fn nearest(machine: &Machine, weights: &Weights) -> Option<usize> {
    let &(heaviest, most) = weights.0.iter().max_by_key(|&&(worker, bytes)| (bytes, std::cmp::Reverse(worker)))?;
    let total: u128 = weights.0.iter().map(|&(_, bytes)| u128::from(bytes)).sum();
    if u128::from(most) * 2 >= total {
        return Some(heaviest as usize);
    }
    let cost = |worker: usize| -> u128 {
        weights
            .0
            .iter()
            .map(|&(home, bytes)| u128::from(bytes) * u128::from(machine.distance(worker, home as usize)))
            .sum()
    };
    let held =
        |worker: usize| weights.0.iter().find(|&&(home, _)| home as usize == worker).map_or(0, |&(_, bytes)| bytes);
    (0..machine.workers()).min_by_key(|&worker| (cost(worker), std::cmp::Reverse(held(worker)), worker))
}
