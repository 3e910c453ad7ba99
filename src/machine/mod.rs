//! The machine: which PUs have a worker, their ranks, how far apart they are, and binding.
//!
//! [`Machine::configured`] reads everything once; what it returns never changes and holds nothing of hwloc.
//! - `topology`: hwloc's tree as plain data (`hwloc`: its raw bindings); `synthetic`: of an imagined machine
//! - `quota`, `binding`: what the process may use; `selection`: which PUs get workers
//! - `description`: all of it for a report
//! - `levels`: ranks; `distance`: the metric; `caches`: for tile sizes

mod binding;
mod caches;
pub(crate) mod description;
mod distance;
mod hwloc;
mod levels;
mod quota;
mod selection;
mod synthetic;
mod topology;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use once_cell::race::OnceBox;

use crate::config::Config;
use crate::error::{Error, dvm_retcode_t};

pub(crate) use caches::Caches;
pub(crate) use levels::MAX_RANK_DEPTH;

use distance::Refinement;
use levels::Levels;
use topology::{Source, Topology};

/// The workers of this process and the tree that they are in.
///
/// Workers are numbered from 0 in the order of the tree, which is the order of their ranks. Only what has workers counts:
/// with 4 workers on `pack:4 core:4 pu:2` the sizes are 1, 4.
#[derive(Debug)]
pub(crate) struct Machine {
    levels: Levels,
    refinement: Option<Refinement>,
    /// The PU of each worker, as an index into those of the topology.
    pus: Vec<u32>,
    /// The CPU of each worker, or none when workers are not bound.
    cpus: Option<Vec<u32>>,
    /// The number of workers for each CPU that the process has, rounded up.
    crowd: usize,
    caches: Caches,
    /// Of each worker, made when first asked for.
    neighbours: Vec<OnceBox<Box<[u32]>>>,
    /// What limited the number of workers.
    limits: String,
}

/// What the system allows the process.
#[derive(Clone, Debug)]
struct Allowance {
    cpus: Option<BTreeSet<u32>>,
    /// Workers that the CPU quota is worth.
    quota: Option<usize>,
}

impl Allowance {
    fn read() -> Allowance {
        Allowance { cpus: binding::process_cpus(), quota: quota::workers(Path::new("/")) }
    }

    /// How many threads can run at once.
    fn threads(&self) -> usize {
        let cpus = self.cpus.as_ref().map_or(usize::MAX, BTreeSet::len);
        cpus.min(self.quota.unwrap_or(usize::MAX))
    }
}

impl Machine {
    /// The machine that `config` and the system describe.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` when the synthetic machine asked for cannot be read, `DVM_ERR_UNSUPPORTED` when the
    /// system's topology cannot be read.
    pub fn configured(config: &Config) -> Result<Machine, Error> {
        let allowance = Allowance::read();
        Machine::new(&Machine::topology(config)?, config, &allowance)
    }

    /// The tree that `config` asks for: the system's, or an imagined one.
    fn topology(config: &Config) -> Result<Topology, Error> {
        match config.synthetic() {
            Some(text) => synthetic::read(text),
            None => Ok(topology::read(Source::System)?),
        }
    }

    fn new(topology: &Topology, config: &Config, allowance: &Allowance) -> Result<Machine, Error> {
        let real = topology.is_this_system;
        let allowed = allowance.cpus.as_ref().filter(|_| real);
        let quota = allowance.quota.filter(|_| real);
        let usable = selection::usable(&topology.pus, allowed).len();
        if usable == 0 {
            return Err(no_pus(topology.pus.len(), allowed));
        }
        let asked = config.workers().unwrap_or(usable);
        let workers = asked.min(quota.unwrap_or(usize::MAX));
        let selected = selection::select(&topology.pus, allowed, workers);
        let levels = Levels::new(&paths(topology, &selected, workers > usable));
        let refined = topology.latencies.iter().filter_map(|latencies| Refinement::new(latencies, &selected, &levels));
        let bound = real && config.bind() && workers <= usable;
        let mut distinct = selected.clone();
        distinct.dedup();
        Ok(Machine {
            refinement: refined.max_by_key(Refinement::objects),
            cpus: bound.then(|| selected.iter().map(|&pu| topology.pus[pu].os_index).collect()),
            crowd: workers.div_ceil(allowance.threads().max(1)),
            caches: Caches::of(&distinct.iter().map(|&pu| &topology.pus[pu]).collect::<Vec<_>>()),
            neighbours: (0..workers).map(|_| OnceBox::new()).collect(),
            limits: limits(topology, config, usable, quota),
            pus: selected.iter().map(|&pu| pu as u32).collect(),
            levels,
        })
    }

    /// The number of rank components, 1 to [`MAX_RANK_DEPTH`].
    pub fn dimension(&self) -> usize {
        self.levels.dimension()
    }

    /// For each component the largest number of siblings; 0 for those that are not used.
    pub fn sizes(&self) -> [u64; MAX_RANK_DEPTH] {
        self.levels.sizes()
    }

    /// The number of workers, at least 1.
    pub fn workers(&self) -> usize {
        self.levels.workers()
    }

    /// The rank of a worker; components that are not used are 0.
    pub fn rank(&self, worker: usize) -> [u64; MAX_RANK_DEPTH] {
        self.levels.rank(worker)
    }

    /// The rank of a worker in words, `rank 0 1 2`: the title of its row in a trace.
    pub fn title(&self, worker: usize) -> String {
        self.rank(worker)[..self.dimension()].iter().fold("rank".into(), |title, index| format!("{title} {index}"))
    }

    /// The worker that has exactly this rank.
    #[inline]
    pub fn worker_of(&self, rank: &[u64; MAX_RANK_DEPTH]) -> Option<usize> {
        self.levels.worker_of(rank)
    }

    /// How far apart two workers are: a metric, 0 for the same worker only. It counts the levels up to their common
    /// ancestor; where hwloc knows latencies that tell more than the tree, levels count more and latencies are added.
    pub fn distance(&self, a: usize, b: usize) -> u64 {
        let tree = self.levels.distance(a, b);
        self.refinement.as_ref().map_or(tree, |refinement| refinement.distance(tree, a, b))
    }

    /// The other workers, nearest first; those equally near in the order of their numbers from `worker` on, round the
    /// end, so that each worker starts with another one.
    pub fn neighbours(&self, worker: usize) -> &[u32] {
        self.neighbours[worker].get_or_init(|| {
            if self.refinement.is_none() {
                return Box::new(self.levels.neighbours(worker).into());
            }
            let workers = self.workers();
            let mut others: Vec<usize> = (1..workers).map(|step| (worker + step) % workers).collect();
            others.sort_by_cached_key(|&other| self.distance(worker, other));
            Box::new(others.into_iter().map(|other| other as u32).collect())
        })
    }

    /// Whether distances are those of the tree, where of three workers no two are farther apart than the farther of the
    /// other pairs.
    pub fn is_tree(&self) -> bool {
        self.refinement.is_none()
    }

    /// Binds the calling thread to the PU of `worker`. False when it is not bound: a synthetic machine, more workers than PUs,
    /// `DVM_BIND=0`, or the system refused.
    pub fn bind(&self, worker: usize) -> bool {
        self.cpus.as_ref().is_some_and(|cpus| binding::bind_thread(&cpus[worker..=worker]))
    }

    /// Lets the calling thread, and threads that it starts, run on the PUs of all workers, where workers are bound at all.
    pub fn unbind(&self) -> bool {
        self.cpus.as_ref().is_some_and(|cpus| binding::bind_thread(cpus))
    }

    /// Whether there are more workers than the process has CPUs (by its cpuset and its quota): who spins then takes the
    /// time of one that works.
    pub fn oversubscribed(&self) -> bool {
        self.crowd > 1
    }

    /// The number of workers for each CPU that the process has, rounded up.
    pub fn crowd(&self) -> usize {
        self.crowd
    }

    /// The caches of a PU.
    pub fn cache(&self) -> Caches {
        self.caches
    }
}

/// The machine in a line, for notes: `2 workers, sizes 1 2, bound to CPUs 0 1 (...)`.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(" ");
        let sizes = list(&mut self.sizes()[..self.dimension()].iter().map(u64::to_string));
        let plural = if self.workers() == 1 { "" } else { "s" };
        write!(f, "{} worker{plural}, sizes {sizes}, ", self.workers())?;
        match &self.cpus {
            Some(cpus) => write!(f, "bound to CPUs {}", list(&mut cpus.iter().map(u32::to_string)))?,
            None => f.write_str("not bound")?,
        }
        write!(f, " ({}{})", self.limits, if self.oversubscribed() { "; more workers than CPUs" } else { "" })
    }
}

/// The path of each worker; with several workers on a PU, one more level tells them apart.
fn paths(topology: &Topology, selected: &[usize], several: bool) -> Vec<Vec<Option<u32>>> {
    let all = topology.pus.iter().flat_map(|pu| &pu.path);
    let fresh = all.flatten().max().map_or(0, |most| most + 1);
    let path = |(worker, &pu): (usize, &usize)| {
        let mut path = topology.pus[pu].path.clone();
        path.extend(several.then_some(Some(fresh + worker as u32)));
        path
    };
    selected.iter().enumerate().map(path).collect()
}

fn no_pus(all: usize, allowed: Option<&BTreeSet<u32>>) -> Error {
    let message = format!(
        "none of the {all} PUs that hwloc sees is among the CPUs that the process may use ({allowed:?}): check its cpuset"
    );
    Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, message)
}

/// Where the number of workers comes from, in words.
fn limits(topology: &Topology, config: &Config, usable: usize, quota: Option<usize>) -> String {
    let kind = if topology.is_this_system { "machine" } else { "synthetic machine" };
    let parts = [
        Some(format!("{kind} of {} PUs", topology.pus.len())),
        (usable < topology.pus.len()).then(|| format!("cpuset of {usable}")),
        quota.map(|quota| format!("CPU quota worth {quota}")),
        config.workers().map(|workers| format!("DVM_WORKERS={workers}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod drawing;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
