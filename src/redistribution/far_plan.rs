//! A plan whose memories lie in several processes: what this process does with it, and the programs for that.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::copy_list::Copies;
use super::messages::{Holders, PlanShare, direct, pack, unpack};
use super::program::Program;
use crate::engine::{Call, RemoteRounds};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::memory;
use crate::sync::lock::Mutex;

/// What a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PlanPart {
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
    pub(super) parts: PlanShare,
    programs: Mutex<HashMap<(PlanPart, usize), Arc<Program>>>,
    /// Messages of others that were taken, and their bytes.
    messages: AtomicU64,
    bytes: AtomicU64,
}

/// The process of an index.
pub(super) fn process(index: u32) -> ProcessId {
    ProcessId::from_index(index)
}

/// The processes of source and of target memories.
pub(super) type BothHolders = (Arc<[u32]>, Arc<[u32]>);

impl FarPlan {
    /// The part of process `me` in the plan with this number, in this life of the job.
    pub(super) fn new((number, me, life): (u32, u32, u64), copies: &Copies, (source, target): BothHolders) -> FarPlan {
        let parts = PlanShare::of(copies, Holders { source: &source, target: &target }, me);
        FarPlan {
            number,
            me,
            life,
            source,
            target,
            parts,
            programs: Mutex::new(HashMap::new()),
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

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
    pub(super) fn program(
        &self,
        (copies, target_sizes): (&Copies, &[i64]),
        part: PlanPart,
        element: usize,
    ) -> Result<Arc<Program>, Error> {
        let mut programs = self.programs.lock();
        if let Some(known) = programs.get(&(part, element)) {
            return Ok(Arc::clone(known));
        }
        let holders = self.holders();
        let part_copies = match part {
            PlanPart::Direct(from) => direct(copies, holders, (from, self.me))?,
            PlanPart::Pack(to) => pack(copies, holders, (self.me, to))?,
            PlanPart::Unpack(from) => unpack(copies, holders, (from, self.me))?,
        };
        memory::room_in(&mut programs)?;
        let program = Arc::new(match part {
            // What is packed is read soon, by another process.
            PlanPart::Pack(_) => Program::cut(&part_copies, element, false)?,
            _ => Program::of_total(&part_copies, element, self.arriving(target_sizes, element))?,
        });
        programs.insert((part, element), Arc::clone(&program));
        Ok(program)
    }

    /// The bytes of an array that arrive in memories of this process.
    fn arriving(&self, target_sizes: &[i64], element: usize) -> usize {
        let own = target_sizes.iter().enumerate().filter(|(memory, _)| self.has_target(*memory));
        own.map(|(_, &size)| size as usize * element).sum()
    }
}
