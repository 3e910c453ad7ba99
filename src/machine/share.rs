//! What a process may use of its host, and what it gets where several processes share the host. `world` divides.

use serde::{Deserialize, Serialize};

use super::quota::Quota;

/// What a process may use of its host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CpuClaim {
    /// The system's numbers of its PUs, in tree order.
    pub cpus: Vec<u32>,
    /// The CPU quota that holds for it.
    pub quota: Option<Quota>,
}

/// What a process gets of its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// The system's numbers of its PUs; at least one.
    pub cpus: Vec<u32>,
    /// Whether none of them belongs to another process, too: only then may workers be bound.
    pub alone: bool,
    /// The workers that its part of the CPU quota allows, at least 1.
    pub quota: Option<usize>,
}

impl Share {
    /// Number of threads that can run at once.
    pub fn threads(&self) -> usize {
        self.cpus.len().min(self.quota.unwrap_or(usize::MAX))
    }
}

/// The positions of a process's workers in the tree of its host, in a form that other processes understand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Positions {
    /// What each level below the root consists of, outermost first: `Package`, `Core`.
    pub levels: Vec<String>,
    /// For each worker, in tree order, the object on each level, named by the lowest CPU below it; `None`: it has none
    /// there.
    pub workers: Vec<Vec<Option<u32>>>,
}
