//! The machine: PUs with workers, their ranks and distances, and binding.
//!
//! [`Machine::configured`] reads everything once; its result never changes and does not depend on hwloc any more.
//! - `topology`: hwloc's tree as plain data (`hwloc`: its raw bindings); `synthetic`: the tree of an imagined machine
//! - `quota`, `binding`: limits of the process; `selection`: which PUs get workers
//! - `share`: what a process may use of its host, and its part; `survey`: the machine of that part
//! - `report_tree`: all of it, for reports
//! - `levels`: ranks; `distance`: the metric; `caches`: for tile sizes; `speed_model`: caches and speeds from a file

mod binding;
mod caches;
mod distance;
mod hwloc;
mod levels;
pub(crate) mod quota;
pub(crate) mod report_tree;
mod selection;
pub(crate) mod share;
pub(crate) mod speed_model;
pub(crate) mod survey;
mod synthetic;
mod topology;

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use once_cell::race::OnceBox;

use crate::config::Config;
use crate::error::{Error, dvm_retcode_t};
use crate::id::Rank;
use crate::system;

pub(crate) use caches::Caches;
pub(crate) use levels::Levels;
pub(crate) use speed_model::Balance;

use distance::Refinement;
use quota::Quota;
use share::Share;
use speed_model::SpeedModel;
use topology::{Topology, TopologySource};

/// The workers of this process, and the tree that contains them.
///
/// Workers are numbered from 0 in tree order, which is the order of their ranks. Parts without workers do not count:
/// with 4 workers on `pack:4 core:4 pu:2` the sizes are 1, 4.
#[derive(Debug)]
pub(crate) struct Machine {
    levels: Levels,
    refinement: Option<Refinement>,
    /// The PU of each worker, as an index into the topology's PUs.
    pus: Vec<u32>,
    /// The CPU of each worker; `None` if workers are not bound.
    cpus: Option<Vec<u32>>,
    /// Workers per CPU of the process, rounded up.
    crowd: usize,
    caches: Caches,
    balance: Balance,
    /// The neighbours of each worker, made on first use.
    neighbours: Vec<OnceBox<Box<[u32]>>>,
    /// What limited the number of workers, in words.
    limits: String,
}

/// The limits that the system sets for the process.
#[derive(Clone, Debug)]
struct Allowance {
    cpus: Option<BTreeSet<u32>>,
    quota: Option<Quota>,
}

impl Allowance {
    fn read() -> Allowance {
        Allowance { cpus: binding::process_cpus(), quota: quota::limit(Path::new("/")) }
    }

    /// Number of threads that can run at once.
    fn threads(&self) -> usize {
        let cpus = self.cpus.as_ref().map_or(usize::MAX, BTreeSet::len);
        cpus.min(self.quota.map_or(usize::MAX, |quota| quota.workers))
    }
}

impl Machine {
    /// The machine that `config` and the system describe.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` for an invalid synthetic machine, `DVM_ERR_UNSUPPORTED` if the system's topology cannot be
    /// read.
    pub fn configured(config: &Config) -> Result<Machine, Error> {
        Machine::new(&Machine::topology(config)?, config, &Allowance::read())
    }

    /// The tree selected by `config`: the system's, or an imagined one.
    fn topology(config: &Config) -> Result<Topology, Error> {
        match config.synthetic() {
            Some(text) => synthetic::read(text),
            None => Ok(topology::read(TopologySource::System)?),
        }
    }

    fn new(topology: &Topology, config: &Config, allowance: &Allowance) -> Result<Machine, Error> {
        Machine::within(topology, config, allowance, None)
    }

    /// The machine of a process that has the whole host, or a part of it.
    fn within(
        topology: &Topology,
        config: &Config,
        allowance: &Allowance,
        share: Option<&Share>,
    ) -> Result<Machine, Error> {
        let real = topology.is_this_system;
        let own = share.map(|share| share.cpus.iter().copied().collect::<BTreeSet<u32>>());
        let allowed = own.as_ref().or(allowance.cpus.as_ref().filter(|_| real));
        let quota = match share {
            Some(share) => share.quota,
            None => allowance.quota.filter(|_| real).map(|quota| quota.workers),
        };
        let usable = selection::usable(&topology.pus, allowed).len();
        if usable == 0 {
            return Err(no_pus(topology.pus.len(), allowed));
        }
        let asked = config.workers().unwrap_or(usable);
        let workers = asked.min(quota.unwrap_or(usize::MAX));
        let selected = selection::select(&topology.pus, allowed, workers);
        let levels = Levels::new(&paths(topology, &selected, workers > usable));
        let refined = topology.latencies.iter().filter_map(|latencies| Refinement::new(latencies, &selected, &levels));
        let bound = real && config.bind() && workers <= usable && share.is_none_or(|share| share.alone);
        let mut distinct = selected.clone();
        distinct.dedup();
        let model = config.model().map(SpeedModel::read).transpose()?.unwrap_or_default();
        let caches = Caches::of(&distinct.iter().map(|&pu| &topology.pus[pu]).collect::<Vec<_>>());
        Ok(Machine {
            refinement: refined.max_by_key(Refinement::objects),
            cpus: bound.then(|| selected.iter().map(|&pu| topology.pus[pu].os_index).collect()),
            crowd: workers.div_ceil(share.map_or(allowance.threads(), Share::threads).max(1)),
            caches: model.caches(caches, workers),
            balance: model.balance(),
            neighbours: (0..workers).map(|_| OnceBox::new()).collect(),
            limits: limits(topology, config, usable, quota),
            pus: selected.iter().map(|&pu| pu as u32).collect(),
            levels,
        })
    }

    /// The number of rank components, 1 to [`Rank::DEPTH`].
    pub fn dimension(&self) -> usize {
        self.levels.dimension()
    }

    /// For each component the largest number of siblings; 0 if unused.
    pub fn sizes(&self) -> [u64; Rank::DEPTH] {
        self.levels.sizes()
    }

    /// The number of workers, at least 1.
    pub fn workers(&self) -> usize {
        self.levels.workers()
    }

    /// The rank of a worker; unused components are 0.
    pub fn rank(&self, worker: usize) -> Rank {
        self.levels.rank(worker)
    }

    /// The rank of a worker as text, `rank 0 1 2`: the title of its row in a trace.
    pub fn title(&self, worker: usize) -> String {
        self.rank(worker).outer(self.dimension()).iter().fold("rank".into(), |title, index| format!("{title} {index}"))
    }

    /// The worker with exactly this rank.
    #[inline]
    pub fn worker_of(&self, rank: &Rank) -> Option<usize> {
        self.levels.worker_of(rank)
    }

    /// The distance of two workers: a metric, 0 only from a worker to itself. It is the number of levels up to their
    /// common ancestor; if hwloc's latencies distinguish more than the tree, levels weigh more and latencies are added.
    pub fn distance(&self, a: usize, b: usize) -> u64 {
        let tree = self.levels.distance(a, b);
        self.refinement.as_ref().map_or(tree, |refinement| refinement.distance(tree, a, b))
    }

    /// The other workers, nearest first; equally near ones in cyclic order from `worker`, so that each worker starts
    /// with a different one.
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

    /// Whether distances are an ultrametric: among three workers, the two largest distances are equal.
    pub fn is_tree(&self) -> bool {
        self.refinement.is_none()
    }

    /// Binds the calling thread to the PU of `worker`. False if it is not bound: synthetic machine, more workers than
    /// PUs, `DVM_BIND=0`, or the system refused.
    pub fn bind(&self, worker: usize) -> bool {
        self.cpus.as_ref().is_some_and(|cpus| binding::bind_thread(&cpus[worker..=worker]))
    }

    /// Lets the calling thread, and threads that it starts, run on the PUs of all workers, if workers are bound.
    pub fn unbind(&self) -> bool {
        self.cpus.as_ref().is_some_and(|cpus| binding::bind_thread(cpus))
    }

    /// The worker that is bound to the CPU on which the calling thread runs at the moment.
    pub fn worker_here(&self) -> Option<usize> {
        let (cpus, here) = (self.cpus.as_ref()?, system::cpu()?);
        cpus.iter().position(|&cpu| cpu == here)
    }

    /// Whether there are more workers than CPUs (by cpuset and quota): a spinning worker then takes time from a working
    /// one.
    pub fn oversubscribed(&self) -> bool {
        self.crowd > 1
    }

    /// Workers per CPU of the process, rounded up.
    pub fn crowd(&self) -> usize {
        self.crowd
    }

    /// The caches for the choice of tile sizes.
    pub fn cache(&self) -> Caches {
        self.caches
    }

    /// The balance of transfers and arithmetic for the choice of tile sizes.
    pub fn balance(&self) -> Balance {
        self.balance
    }
}

/// Prints one line for notes: `2 workers, sizes 1 2, bound to CPUs 0 1 (...)`.
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

/// The path of each worker; one more level distinguishes several workers on a PU.
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

/// What determines the number of workers, in words.
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
mod machine_text;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod tests;
