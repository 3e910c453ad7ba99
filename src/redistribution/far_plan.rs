//! A plan whose memories lie in several processes: what this process does with it, and the programs for that.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::layout::Layout;
use super::messages::{Digest, Holders, Parts, direct, pack, unpack};
use super::plan::Redistribution;
use super::program::Program;
use crate::engine::{Call, RemoteRounds};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::memory;
use crate::protocol::rounds::NO_PLAN;
use crate::sync::lock::Mutex;

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// Copies out of the memories of a process, also of this one.
    Direct(u32),
    /// Packs the message for a process.
    Pack(u32),
    /// Unpacks the message of a process.
    Unpack(u32),
}

/// The part of a plan that is this process's.
pub(crate) struct FarPlan {
    /// The number of the plan in the job.
    pub(super) number: u32,
    pub(super) me: u32,
    /// Which life of the job knows that number.
    life: u64,
    source: Arc<[u32]>,
    target: Arc<[u32]>,
    pub(super) parts: Parts,
    programs: Mutex<HashMap<(Part, usize), Arc<Program>>>,
    /// Messages of others that were taken, and their bytes.
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// The process of an index.
pub(super) fn process(index: u32) -> ProcessId {
    ProcessId::from_index(index)
}

/// Plans a redistribution between the memories of several processes; all of them do so together.
pub(crate) fn plan_with_others(
    call: &Call,
    make: impl FnOnce() -> Result<(Arc<Layout>, Arc<Layout>, bool), Error>,
) -> Result<Redistribution, Error> {
    let (me, processes) = call.process();
    let made = make().and_then(|(source, target, balance)| {
        let holders = (known(&source, "source", processes)?, known(&target, "target", processes)?);
        Ok((Redistribution::plan(&source, &target, balance)?, holders))
    });
    agree(call, me as u32, made)
}

/// The processes of source and of target memories.
pub(super) type BothHolders = (Arc<[u32]>, Arc<[u32]>);

/// Agrees on a plan with all other processes, or tells them that it could not be made.
pub(super) fn agree(
    call: &Call,
    me: u32,
    made: Result<(Redistribution, BothHolders), Error>,
) -> Result<Redistribution, Error> {
    let Some(job) = call.job() else { return made.map(|(plan, _)| plan) };
    let rounds = job.scheduler.rounds();
    let (digest, all) = match &made {
        Ok((plan, (source, target))) => {
            let holders = Holders { source, target };
            let all = holders.all().into_iter().map(process).collect();
            (Digest::of_plan(&plan.copies, [&plan.source_sizes, &plan.target_sizes], holders), all)
        }
        Err(_) => (NO_PLAN, BTreeSet::new()),
    };
    let agreed = rounds.agree(digest, &all);
    let (mut plan, (source, target)) = made?;
    let number = agreed?;
    let parts = Parts::of(&plan.copies, Holders { source: &source, target: &target }, me);
    plan.far = Some(FarPlan {
        number,
        me,
        life: rounds.life(),
        source,
        target,
        parts,
        programs: Mutex::new(HashMap::new()),
        messages: AtomicU64::new(0),
        bytes: AtomicU64::new(0),
    });
    Ok(plan)
}

/// Tells all others that this process does not make the next plan, and does not wait for them.
pub(crate) fn decline(call: &Call) {
    if let Some(job) = call.job() {
        job.scheduler.rounds().decline();
    }
}

/// The processes of a layout's memories.
fn known(layout: &Layout, side: &str, processes: u64) -> Result<Arc<[u32]>, Error> {
    let Some(holders) = layout.holders() else {
        return Err(Error::state(format!(
            "nobody has said which processes the memories of the {side} distribution belong to: call \
             dvm_distribution_set_processes or dvm_distribution_set_grid"
        )));
    };
    match holders.iter().find(|&&holder| u64::from(holder) >= processes) {
        Some(holder) => Err(Error::argument(format!(
            "a memory of the {side} distribution belongs to process {holder}, but the job has {processes} processes"
        ))),
        None => Ok(Arc::clone(holders)),
    }
}

impl FarPlan {
    fn holders(&self) -> Holders<'_> {
        Holders { source: &self.source, target: &self.target }
    }

    /// Whether the calling process has a target memory.
    pub(super) fn has_target(&self, memory: usize) -> bool {
        self.target[memory] == self.me
    }

    /// The processes of source and target memories.
    pub(super) fn holder(&self, is_source: bool, memory: usize) -> u32 {
        if is_source { self.source[memory] } else { self.target[memory] }
    }

    /// Refuses a plan of an earlier life of the job.
    pub(super) fn check_life(&self, rounds: &dyn RemoteRounds) -> Result<(), Error> {
        if self.life == rounds.life() {
            return Ok(());
        }
        Err(Error::new(dvm_retcode_t::DVM_ERR_STATE, "the plan was made before dvm_finalize: make it anew in this job"))
    }

    /// Tells all others that this process has freed the plan.
    pub(crate) fn free(&self, call: &Call) {
        if let Some(job) = call.job()
            && self.check_life(job.scheduler.rounds()).is_ok()
        {
            job.scheduler.rounds().free(self.number);
        }
    }

    /// Those that have elements for this process, and those that want some of it.
    pub(super) fn senders(&self) -> BTreeSet<ProcessId> {
        self.parts.from.keys().copied().map(process).collect()
    }

    pub(super) fn takers(&self) -> BTreeSet<ProcessId> {
        self.parts.to.keys().copied().map(process).collect()
    }

    /// Counts a message that was taken.
    pub(super) fn count(&self, bytes: u64) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Messages of others that this process has taken, and their bytes.
    pub(crate) fn taken(&self) -> (u64, u64) {
        (self.messages.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }

    /// The program of a part for elements of so many bytes.
    pub(super) fn program(&self, plan: &Redistribution, part: Part, element: usize) -> Result<Arc<Program>, Error> {
        let mut programs = self.programs.lock();
        if let Some(known) = programs.get(&(part, element)) {
            return Ok(Arc::clone(known));
        }
        let holders = self.holders();
        let copies = match part {
            Part::Direct(from) => direct(&plan.copies, holders, (from, self.me))?,
            Part::Pack(to) => pack(&plan.copies, holders, (self.me, to))?,
            Part::Unpack(from) => unpack(&plan.copies, holders, (from, self.me))?,
        };
        memory::room_in(&mut programs)?;
        let program = Arc::new(match part {
            // What is packed is read soon, by another process.
            Part::Pack(_) => Program::cut(&copies, element, false)?,
            _ => Program::of_total(&copies, element, self.arriving(plan, element))?,
        });
        programs.insert((part, element), Arc::clone(&program));
        Ok(program)
    }

    /// The bytes of an array that arrive in memories of this process.
    fn arriving(&self, plan: &Redistribution, element: usize) -> usize {
        let own = plan.target_sizes.iter().enumerate().filter(|(memory, _)| self.has_target(*memory));
        own.map(|(_, &size)| size as usize * element).sum()
    }
}
