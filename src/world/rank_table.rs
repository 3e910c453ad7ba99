//! The ranks of all workers of all processes.
//!
//! Component 0 is the host. The others are the levels that branch on some host, outermost first; what differs from host
//! to host is merged (`merged`), and an object that a host lacks on a level gets a stand-in, as within a host
//! (`machine::levels`). Every process makes the same table.

use std::collections::BTreeMap;

use super::division::merged;
use crate::id::Rank;
use crate::machine::Levels;
use crate::machine::share::Positions;

/// A worker: its process, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WorkerHome {
    /// The index of the process in the job.
    pub(crate) process: u32,
    /// The number of the worker in that process.
    pub(crate) worker: u32,
}

/// The ranks of all workers, numbered in tree order.
#[derive(Debug)]
pub(crate) struct RankTable {
    levels: Levels,
    homes: Vec<WorkerHome>,
    /// For each process, the numbers of its workers.
    numbers: Vec<Vec<u32>>,
}

impl RankTable {
    /// The table of a job. `processes`: for each process in order, the number of its host, and where its workers stand.
    pub(crate) fn new(processes: &[(usize, Positions)]) -> RankTable {
        let levels = all_levels(processes);
        let mut workers: Vec<(Vec<u32>, WorkerHome)> = Vec::new();
        for (process, (host, positions)) in processes.iter().enumerate() {
            for (worker, path) in positions.workers.iter().enumerate() {
                let key = order(*host, path, &positions.levels, &levels);
                workers.push((key, WorkerHome { process: process as u32, worker: worker as u32 }));
            }
        }
        workers.sort();
        let homes: Vec<WorkerHome> = workers.into_iter().map(|(_, home)| home).collect();
        let mut numbers: Vec<Vec<u32>> = processes.iter().map(|(_, own)| vec![0; own.workers.len()]).collect();
        for (number, home) in homes.iter().enumerate() {
            numbers[home.process as usize][home.worker as usize] = number as u32;
        }
        RankTable { levels: Levels::new(&paths(processes, &homes, &levels)), homes, numbers }
    }

    /// The number of workers of all processes.
    pub(crate) fn count(&self) -> usize {
        self.homes.len()
    }

    /// The number of rank components.
    pub(crate) fn dimension(&self) -> usize {
        self.levels.dimension()
    }

    /// For each component the largest number of siblings; 0 if unused.
    pub(crate) fn sizes(&self) -> [u64; Rank::DEPTH] {
        self.levels.sizes()
    }

    /// The rank of the worker with this number in the job.
    pub(crate) fn rank(&self, number: usize) -> Rank {
        self.levels.rank(number)
    }

    /// Whose worker this is.
    pub(crate) fn home(&self, number: usize) -> WorkerHome {
        self.homes[number]
    }

    /// The number in the job of a worker.
    pub(crate) fn number(&self, home: WorkerHome) -> usize {
        self.numbers[home.process as usize][home.worker as usize] as usize
    }

    /// The number of the worker with exactly this rank.
    pub(crate) fn find(&self, rank: &Rank) -> Option<usize> {
        self.levels.worker_of(rank)
    }

    /// The distance of two workers: the number of branching levels up to their common ancestor.
    pub(crate) fn distance(&self, a: usize, b: usize) -> u64 {
        self.levels.distance(a, b)
    }
}

/// The levels of all hosts below the root.
fn all_levels(processes: &[(usize, Positions)]) -> Vec<&str> {
    let lists: Vec<Vec<&str>> =
        processes.iter().map(|(_, positions)| positions.levels.iter().map(String::as_str).collect()).collect();
    let mut distinct: Vec<&[&str]> = Vec::new();
    for list in &lists {
        if !distinct.contains(&list.as_slice()) {
            distinct.push(list);
        }
    }
    merged(&distinct)
}

/// A worker's object on each of all levels.
fn spread<'a>(path: &'a [Option<u32>], own: &'a [String], all: &'a [&str]) -> impl Iterator<Item = Option<u32>> + 'a {
    all.iter().map(|level| own.iter().position(|name| name == level).and_then(|place| path[place]))
}

/// What sorts workers in tree order: hosts first, then the lowest CPU of each object. hwloc orders siblings so.
fn order(host: usize, path: &[Option<u32>], own: &[String], all: &[&str]) -> Vec<u32> {
    let mut key: Vec<Option<u32>> = spread(path, own, all).collect();
    // An object that is missing stands where the one below it does.
    let mut below = None;
    for object in key.iter_mut().rev() {
        below = object.or(below);
        *object = below;
    }
    std::iter::once(host as u32).chain(key.into_iter().map(|object| object.unwrap_or(0))).collect()
}

/// The path of each worker: host, the levels, and one more where several workers stand on one PU.
fn paths(processes: &[(usize, Positions)], homes: &[WorkerHome], levels: &[&str]) -> Vec<Vec<Option<u32>>> {
    let mut names: BTreeMap<(usize, usize, u32), u32> = BTreeMap::new();
    let mut named = |host: usize, level: usize, object: u32| {
        let next = names.len() as u32;
        *names.entry((host, level, object)).or_insert(next)
    };
    let mut paths: Vec<Vec<Option<u32>>> = Vec::with_capacity(homes.len());
    for home in homes {
        let (host, positions) = &processes[home.process as usize];
        let own = spread(&positions.workers[home.worker as usize], &positions.levels, levels);
        let below = own.enumerate().map(|(level, object)| object.map(|object| named(*host, level + 1, object)));
        let below: Vec<Option<u32>> = below.collect();
        paths.push(std::iter::once(Some(named(*host, 0, 0))).chain(below).collect());
    }
    if paths.windows(2).any(|pair| pair[0] == pair[1]) {
        let fresh = names.len() as u32;
        for (number, path) in paths.iter_mut().enumerate() {
            path.push(Some(fresh + number as u32));
        }
    }
    paths
}
