//! Derives ranks from hwloc's tree.
//!
//! A level of hwloc becomes a rank component if some object of the level above has two children there with workers. On
//! irregular machines an object may be missing between two levels; a unique stand-in takes its place, so that every
//! worker has an object on every level, and an index among siblings identifies one object.

use std::collections::BTreeMap;

use crate::id::Rank;

/// The positions of the workers in the tree.
#[derive(Debug)]
pub(crate) struct Levels {
    /// Number of branching levels.
    depth: usize,
    /// The object of each worker on each branching level, worker by worker.
    objects: Vec<u32>,
    /// In increasing order.
    ranks: Vec<Rank>,
    dimension: usize,
    /// All bits set in the components that the ranks here do not use.
    unused: [u64; Rank::DEPTH],
    /// The tree of ranks, level by level, each in order: the index of a node's first child, and the number of children.
    /// The workers, which have no children, follow these nodes.
    steps: Vec<(u32, u32)>,
}

impl Levels {
    /// `paths`: for each worker, in tree order, its ancestor on each level, the root of its host first.
    pub fn new(paths: &[Vec<Option<u32>>]) -> Levels {
        let filled = fill(paths);
        let branching = branching(&filled);
        let objects = filled.iter().flat_map(|path| branching.iter().map(|&level| path[level])).collect();
        let named = named(&branching);
        let (ranks, dimension) = (ranks(&filled, &named), named.len());
        let steps = steps(&ranks, dimension);
        let unused = std::array::from_fn(|component| if component < dimension { 0 } else { u64::MAX });
        Levels { depth: branching.len(), objects, ranks, dimension, unused, steps }
    }

    pub fn workers(&self) -> usize {
        self.ranks.len()
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn rank(&self, worker: usize) -> Rank {
        self.ranks[worker]
    }

    #[inline]
    pub fn worker_of(&self, rank: &Rank) -> Option<usize> {
        let mut node = 0;
        for &index in rank.outer(self.dimension) {
            let &(first, siblings) = self.steps.get(node)?;
            if index >= u64::from(siblings) {
                return None;
            }
            node = first as usize + index as usize;
        }
        let worker = node.checked_sub(self.steps.len())?;
        // Components after the last level must be 0, as in the worker's own rank. Checks all of them without a branch.
        let excess = rank.raw().iter().zip(&self.unused).fold(0, |excess, (index, unused)| excess | (index & unused));
        (excess == 0).then_some(worker)
    }

    /// For each component the largest number of siblings; 0 if unused.
    pub fn sizes(&self) -> [u64; Rank::DEPTH] {
        let mut sizes = [0; Rank::DEPTH];
        for rank in &self.ranks {
            for (size, index) in sizes.iter_mut().zip(rank.outer(self.dimension)) {
                *size = (*size).max(index + 1);
            }
        }
        sizes
    }

    /// Number of branching levels up to a common ancestor.
    pub fn distance(&self, a: usize, b: usize) -> u64 {
        let path = |worker: usize| &self.objects[worker * self.depth..(worker + 1) * self.depth];
        let common = path(a).iter().zip(path(b)).take_while(|(a, b)| a == b).count();
        (self.depth - common) as u64
    }

    /// The other workers, nearest first; equally near ones in cyclic order from `worker`. Worker numbers follow the
    /// tree, so distances only grow to either side, and no sorting is needed.
    pub fn neighbours(&self, worker: usize) -> Vec<u32> {
        let workers = self.workers();
        let mut others = Vec::with_capacity(workers - 1);
        let (mut left, mut right) = (worker, worker + 1);
        for distance in 1..=self.depth as u64 {
            let more = partition(right, workers, |other| self.distance(worker, other) <= distance);
            others.extend((right..more).map(|other| other as u32));
            right = more;
            let fewer = partition(0, left, |other| self.distance(worker, other) > distance);
            others.extend((fewer..left).map(|other| other as u32));
            left = fewer;
        }
        others
    }
}

/// The first number from `first` on and below `end` for which `holds` is false.
fn partition(mut first: usize, mut end: usize, holds: impl Fn(usize) -> bool) -> usize {
    while first < end {
        let middle = first.midpoint(end);
        if holds(middle) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    first
}

/// Fills gaps in paths with stand-ins: one for each object below.
fn fill(paths: &[Vec<Option<u32>>]) -> Vec<Vec<u32>> {
    let mut fresh = paths.iter().flatten().flatten().max().map_or(0, |most| most + 1);
    let mut stand_ins = BTreeMap::new();
    let mut fill_path = |path: &Vec<Option<u32>>| {
        let mut filled = vec![0; path.len()];
        let mut below = None;
        for (level, object) in path.iter().enumerate().rev() {
            let object = object.unwrap_or_else(|| {
                *stand_ins.entry((level, below)).or_insert_with(|| {
                    fresh += 1;
                    fresh - 1
                })
            });
            filled[level] = object;
            below = Some(object);
        }
        filled
    };
    paths.iter().map(&mut fill_path).collect()
}

/// The levels on which two workers with the same parent have different objects; level 0, hosts, if there are several.
fn branching(paths: &[Vec<u32>]) -> Vec<usize> {
    let levels = paths.first().map_or(0, Vec::len);
    let siblings = |level: usize, pair: &[Vec<u32>]| level == 0 || pair[0][level - 1] == pair[1][level - 1];
    let part = |level: usize, pair: &[Vec<u32>]| siblings(level, pair) && pair[0][level] != pair[1][level];
    (0..levels).filter(|&level| paths.windows(2).any(|pair| part(level, pair))).collect()
}

/// The levels that become components: the hosts, and those that branch. If there are too many, drops the second
/// innermost first: the PUs of a larger group are then numbered consecutively. Distances still use all levels.
fn named(branching: &[usize]) -> Vec<usize> {
    let mut named: Vec<usize> =
        std::iter::once(0).chain(branching.iter().copied().filter(|&level| level > 0)).collect();
    while named.len() > Rank::DEPTH {
        named.remove(named.len() - 2);
    }
    named
}

/// The index among siblings on each of `levels`.
fn ranks(paths: &[Vec<u32>], levels: &[usize]) -> Vec<Rank> {
    let mut rank = Rank::FIRST;
    let mut ranks = Vec::with_capacity(paths.len());
    let mut before: Option<&Vec<u32>> = None;
    for path in paths {
        let part = before.and_then(|before| levels.iter().position(|&level| before[level] != path[level]));
        if let Some(part) = part {
            rank = rank.next(part);
        }
        ranks.push(rank);
        before = Some(path);
    }
    ranks
}

/// Builds the tree of ranks.
fn steps(ranks: &[Rank], dimension: usize) -> Vec<(u32, u32)> {
    let mut steps = Vec::new();
    let mut nodes = 0;
    for level in 0..dimension {
        let families = || ranks.chunk_by(|a, b| a.outer(level) == b.outer(level));
        nodes += families().count();
        let mut first = nodes;
        for family in families() {
            let children = family.chunk_by(|a, b| a.outer(level + 1) == b.outer(level + 1)).count();
            steps.push((first as u32, children as u32));
            first += children;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths from text: one worker per word, one letter per level, `.` for a missing object.
    fn levels(text: &str) -> Levels {
        let path = |word: &str| word.chars().map(|c| (c != '.').then_some(c as u32)).collect();
        Levels::new(&text.split_whitespace().map(path).collect::<Vec<_>>())
    }

    fn text(levels: &Levels) -> String {
        let digits = |rank: Rank| rank.outer(levels.dimension()).iter().map(u64::to_string).collect::<String>();
        (0..levels.workers()).map(|worker| digits(levels.rank(worker))).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ranks_are_indices_among_siblings_on_levels_that_branch() {
        let table = [
            ("one PU", "ma", "0"),
            ("two PUs", "ma mb", "00 01"),
            ("a level that never branches", "mpa mpb", "00 01"),
            ("every level branches", "mpa mpb mqc mqd", "000 001 010 011"),
            ("different numbers of cores", "mpa mpb mpc mqd", "000 001 002 010"),
            ("a level that never branches below", "mpa mqb mrc", "00 01 02"),
            ("an object is missing above one PU", "mpca mpcb mp.d mp.e", "000 001 010 020"),
            ("objects are missing on two levels", "mpca mpcb m..d", "000 001 010"),
            ("a stand-in with two below it", "mpxa mpxb m.yc m.yd", "000 001 010 011"),
        ];
        for (what, paths, expected) in table {
            assert_eq!(text(&levels(paths)), expected, "{what}: {paths}");
        }
    }

    #[test]
    fn the_innermost_but_one_level_goes_when_there_are_too_many() {
        let binary = |depth: usize| -> Levels {
            let paths = (0..1_u32 << depth)
                .map(|pu| (0..=depth).map(|level| Some((1 << level) + (pu >> (depth - level)))).collect());
            Levels::new(&paths.collect::<Vec<_>>())
        };
        let seven = binary(7);
        assert_eq!((seven.dimension(), seven.sizes()), (8, [1, 2, 2, 2, 2, 2, 2, 2]));
        let nine = binary(9);
        assert_eq!((nine.dimension(), nine.sizes()), (8, [1, 2, 2, 2, 2, 2, 2, 8]));
        assert_eq!(nine.rank(509).raw(), &[0, 1, 1, 1, 1, 1, 1, 5]);
        assert_eq!([0, 1, 2, 4, 8].map(|other| nine.distance(0, other)), [0, 1, 2, 3, 4], "distances know all levels");
        for worker in 0..512 {
            assert_eq!(nine.worker_of(&nine.rank(worker)), Some(worker));
        }
    }
}
