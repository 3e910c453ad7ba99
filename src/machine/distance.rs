//! Distances between workers: first the tree, then latencies to distinguish equal distances in the tree.
//!
//! The tree's distance is the number of branching levels up to the common ancestor, an ultrametric. A latency matrix
//! becomes a pseudo-metric (symmetric by its larger values, minus local latency, shortest paths) and is added to the
//! tree's distance, scaled so that latencies never outweigh a level. A metric plus a pseudo-metric is a metric.

use super::levels::Levels;
use super::topology::Latencies;

/// Latencies above this count as this; sums stay far from overflow.
const LARGEST_LATENCY: u64 = u32::MAX as u64;

/// The contribution of latencies to distances.
#[derive(Debug)]
pub(super) struct Refinement {
    /// The object of each worker.
    object_of: Vec<usize>,
    count: usize,
    /// Row-major.
    excess: Vec<u64>,
    /// The weight of one tree level.
    scale: u64,
}

impl Refinement {
    /// `pus`: the PU of each worker, as an index into `latencies.object_of`. `None` if some worker has no object, or if
    /// the matrix adds nothing to the tree.
    pub fn new(latencies: &Latencies, pus: &[usize], levels: &Levels) -> Option<Refinement> {
        let object_of = pus.iter().map(|&pu| latencies.object_of[pu]).collect::<Option<Vec<_>>>()?;
        let excess = pseudo_metric(&latencies.values, latencies.count);
        let scale = excess.iter().max().map_or(1, |most| most + 1);
        let refinement = Refinement { object_of, count: latencies.count, excess, scale };
        refinement.tells_more_than(levels).then_some(refinement)
    }

    /// Number of objects in the matrix.
    pub fn objects(&self) -> usize {
        self.count
    }

    /// The distance of two workers that are `tree` levels apart.
    pub fn distance(&self, tree: u64, a: usize, b: usize) -> u64 {
        tree * self.scale + self.excess(a, b)
    }

    fn excess(&self, a: usize, b: usize) -> u64 {
        self.excess[self.object_of[a] * self.count + self.object_of[b]]
    }

    /// Whether two pairs have the same distance in the tree but not here.
    fn tells_more_than(&self, levels: &Levels) -> bool {
        let mut seen = Vec::new();
        for a in 0..levels.workers() {
            for b in 0..a {
                let tree = levels.distance(a, b) as usize;
                seen.resize(seen.len().max(tree + 1), None);
                if *seen[tree].get_or_insert(self.excess(a, b)) != self.excess(a, b) {
                    return true;
                }
            }
        }
        false
    }
}

/// The latencies minus the least local latency, as a pseudo-metric.
fn pseudo_metric(values: &[u64], count: usize) -> Vec<u64> {
    let local = (0..count).map(|i| values[i * count + i]).min().unwrap_or(0);
    let excess = |i: usize, j: usize| {
        let farther = values[i * count + j].max(values[j * count + i]);
        if i == j { 0 } else { farther.saturating_sub(local).min(LARGEST_LATENCY) }
    };
    let mut excess: Vec<u64> = (0..count * count).map(|at| excess(at / count, at % count)).collect();
    for via in 0..count {
        for i in 0..count {
            for j in 0..count {
                let around = excess[i * count + via] + excess[via * count + j];
                let direct = &mut excess[i * count + j];
                *direct = (*direct).min(around);
            }
        }
    }
    excess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_become_a_pseudo_metric() {
        // Asymmetric, and the direct way 0 -> 2 is longer than through 1.
        let excess = pseudo_metric(&[10, 15, 99, 16, 10, 12, 99, 12, 10], 3);
        assert_eq!(excess, [0, 6, 8, 6, 0, 2, 8, 2, 0]);
    }

    #[test]
    fn latencies_that_repeat_the_tree_are_left_out() {
        let paths = ["maA", "maB", "mbC", "mbD"].map(|path| path.chars().map(|c| Some(c as u32)).collect());
        let levels = Levels::new(&paths);
        let latencies = |values: [u64; 4], object_of: [Option<usize>; 4]| Latencies {
            object_of: object_of.into(),
            count: 2,
            values: values.into(),
        };
        let packages = [Some(0), Some(0), Some(1), Some(1)];
        let pus = [0, 1, 2, 3];
        assert!(Refinement::new(&latencies([10, 21, 21, 10], packages), &pus, &levels).is_none());
        assert!(
            Refinement::new(&latencies([10, 21, 21, 10], [Some(0), None, Some(1), Some(1)]), &pus, &levels).is_none()
        );
        let crossed =
            Refinement::new(&latencies([10, 21, 21, 10], [Some(0), Some(1), Some(0), Some(1)]), &pus, &levels).unwrap();
        assert_eq!((crossed.distance(2, 0, 2), crossed.distance(2, 0, 3)), (24, 35));
    }
}
