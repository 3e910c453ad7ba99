//! A process's view of its host, before it is known which part is its own.

use super::share::{CpuClaim, Positions, Share};
use super::{Allowance, Machine, selection, topology::Topology};
use crate::config::Config;
use crate::error::Error;

/// The tree and the limits of a process, before it is known which part is its own.
#[derive(Debug)]
pub(crate) struct Survey {
    topology: Topology,
    allowance: Allowance,
}

impl Survey {
    /// Reads what `config` and the system describe.
    ///
    /// # Errors
    /// Those of [`Machine::configured`].
    pub fn read(config: &Config) -> Result<Survey, Error> {
        Ok(Survey { topology: Machine::topology(config)?, allowance: Allowance::read() })
    }

    #[cfg(test)]
    pub(crate) fn synthetic(text: &str) -> Survey {
        let allowance = Allowance { cpus: None, quota: None };
        Survey { topology: super::synthetic::read(text).unwrap(), allowance }
    }

    /// What the process may use.
    pub fn claim(&self) -> CpuClaim {
        let real = self.topology.is_this_system;
        let allowed = self.allowance.cpus.as_ref().filter(|_| real);
        let usable = selection::usable(&self.topology.pus, allowed);
        CpuClaim {
            cpus: usable.into_iter().map(|pu| self.topology.pus[pu].os_index).collect(),
            quota: self.allowance.quota.filter(|_| real),
        }
    }

    /// The machine of a process that has got `share`.
    ///
    /// # Errors
    /// Those of [`Machine::configured`].
    pub fn machine(&self, config: &Config, share: &Share) -> Result<Machine, Error> {
        Machine::within(&self.topology, config, &self.allowance, Some(share))
    }

    /// Where the workers of `machine`, which this survey has made, stand.
    pub fn positions(&self, machine: &Machine) -> Positions {
        let object = |id: Option<u32>| id.map(|id| self.topology.nodes[id as usize].lowest_cpu);
        let path = |&pu: &u32| self.topology.pus[pu as usize].path.iter().skip(1).map(|&id| object(id)).collect();
        Positions { levels: self.levels(), workers: machine.pus.iter().map(path).collect() }
    }

    /// The type of the objects on each level below the root; levels of equal type are numbered.
    fn levels(&self) -> Vec<String> {
        let depth = self.topology.pus.first().map_or(0, |pu| pu.path.len());
        let on = |level: usize| self.topology.pus.iter().find_map(|pu| pu.path[level]);
        let kind = |level| on(level).map_or_else(String::new, |id| self.topology.nodes[id as usize].kind.clone());
        let kinds: Vec<String> = (1..depth).map(kind).collect();
        let before = |level: usize| kinds[..level].iter().filter(|kind| **kind == kinds[level]).count();
        (0..kinds.len()).map(|level| format!("{}{}", kinds[level], "'".repeat(before(level)))).collect()
    }
}
