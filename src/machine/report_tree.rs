//! A description of the machine for reports: the tree with workers, ranks and distances, and the limits of the process.

use super::topology::{Topology, hwloc_version};
use super::{Allowance, Machine};
use crate::config::Config;
use crate::error::Error;

/// An object of the machine's tree, with its subtree.
#[derive(Clone, Debug)]
pub struct Branch {
    /// hwloc's name of its type.
    pub kind: String,
    /// Its index among the objects of its type.
    pub index: u32,
    /// Size of a cache in bytes; 0: not a cache, or unknown.
    pub bytes: u64,
    /// The NUMA nodes attached to it: their numbers and sizes in bytes.
    pub memory: Vec<(u32, u64)>,
    /// For a PU: the system's number.
    pub cpu: Option<u32>,
    /// For a PU: its workers.
    pub workers: Vec<usize>,
    /// Its children.
    pub below: Vec<Branch>,
}

/// A machine and the workers that libdvm would start on it.
#[derive(Clone, Debug)]
pub struct Description {
    /// Whether it is the machine that runs the process.
    pub real: bool,
    /// Its tree.
    pub tree: Branch,
    /// The rank of each worker, without unused components.
    pub ranks: Vec<Vec<u64>>,
    /// For each component of a rank, the largest number of siblings.
    pub sizes: Vec<u64>,
    /// The CPU that each worker is bound to; `None`: workers are not bound.
    pub bound: Option<Vec<u32>>,
    /// What determines the number of workers, in words.
    pub limits: String,
    /// Whether there are more workers than CPUs.
    pub oversubscribed: bool,
    /// The distances of all pairs of workers, row by row.
    pub distances: Vec<Vec<u64>>,
    /// The CPUs that the process may use; `None`: the system does not tell.
    pub cpuset: Option<Vec<u32>>,
    /// Number of workers that the CPU quota allows; `None`: no quota.
    pub quota: Option<usize>,
}

/// Describes the machine given by `config` and the system.
pub(crate) fn describe(config: &Config) -> Result<Description, Error> {
    let allowance = Allowance::read();
    let topology = Machine::topology(config)?;
    let machine = Machine::new(&topology, config, &allowance)?;
    let workers = machine.workers();
    let dimension = machine.dimension();
    Ok(Description {
        real: topology.is_this_system,
        tree: tree(&topology, &machine),
        ranks: (0..workers).map(|worker| machine.rank(worker).outer(dimension).to_vec()).collect(),
        sizes: machine.sizes()[..dimension].to_vec(),
        bound: machine.cpus.clone(),
        limits: machine.limits.clone(),
        oversubscribed: machine.oversubscribed(),
        distances: (0..workers).map(|a| (0..workers).map(|b| machine.distance(a, b)).collect()).collect(),
        cpuset: allowance.cpus.map(|cpus| cpus.into_iter().collect()),
        quota: allowance.quota.map(|quota| quota.workers),
    })
}

/// The version of hwloc in the process, as `2.9`.
pub(crate) fn hwloc_running() -> String {
    let version = hwloc_version();
    format!("{}.{}", version >> 16, version >> 8 & 0xff)
}

/// The tree, with workers at their PUs.
fn tree(topology: &Topology, machine: &Machine) -> Branch {
    let mut branches: Vec<Option<Branch>> = topology
        .nodes
        .iter()
        .map(|node| {
            Some(Branch {
                kind: node.kind.clone(),
                index: node.index,
                bytes: node.bytes,
                memory: node.memory.clone(),
                cpu: None,
                workers: Vec::new(),
                below: Vec::new(),
            })
        })
        .collect();
    for (place, pu) in topology.pus.iter().enumerate() {
        let own = pu.path.last().copied().flatten().and_then(|object| branches[object as usize].as_mut());
        if let Some(branch) = own {
            branch.cpu = Some(pu.os_index);
            branch.workers = (0..machine.workers()).filter(|&worker| machine.pus[worker] as usize == place).collect();
        }
    }
    // Children come after their parents: from last to first, each object is complete when it is attached.
    for object in (1..branches.len()).rev() {
        let branch = branches[object].take().expect("each object is taken once");
        let parent = topology.nodes[object].parent.expect("every object but the root is below another");
        branches[parent as usize].as_mut().expect("not taken yet").below.insert(0, branch);
    }
    branches[0].take().expect("the root is left")
}
