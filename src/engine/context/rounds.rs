//! Redistributions over the processes of a job, as the room of redistributions sees them. `remote` carries them out.

use std::collections::BTreeSet;
use std::ptr::NonNull;

use crate::data::FreshBytes;
use crate::error::Error;
use crate::id::ProcessId;
use crate::memory::KeptMemory;
use crate::protocol::rounds::Opening;
use crate::wire::{RoundKey, RoundRole};

/// Elements that another process has for this one.
pub(crate) enum Delivered {
    /// Packed.
    Packed(PackedElements),
    /// The memories of the other process as they are, in the order of their numbers.
    Memories(Vec<PackedElements>),
}

/// Bytes of another process that can be read here.
pub(crate) enum PackedElements {
    /// They came with a message.
    Inline(Vec<u8>),
    /// They were received.
    Received(FreshBytes),
    /// They lie where the other process has them.
    Mapped(Box<dyn KeptMemory>),
}

impl PackedElements {
    /// Where they are.
    pub(crate) fn bytes(&self) -> NonNull<[u8]> {
        match self {
            PackedElements::Inline(bytes) => NonNull::from(&**bytes),
            PackedElements::Received(bytes) => NonNull::from(bytes.bytes()),
            PackedElements::Mapped(memory) => memory.memory(),
        }
    }
}

/// Carries out redistributions over processes. The calling thread is inside the engine.
pub(crate) trait RemoteRounds: Send + Sync {
    /// Which life of the job this is: each init begins one.
    fn life(&self) -> u64;

    /// Waits until all processes have made the plan with this digest; gives its number. `holders`: whose memories it has.
    fn agree(&self, digest: u64, holders: &BTreeSet<ProcessId>) -> Result<u32, Error>;

    /// Tells all others that this process does not make the next plan.
    fn decline(&self);

    /// Frees a plan; rounds that have begun here go on.
    fn free(&self, plan: u32);

    /// The next round of a plan: it is opened or refused, and closed. An error if a process is lost that has memories of the
    /// plan: no further round begins.
    fn begin(&self, plan: u32) -> Result<RoundKey, Error>;

    /// Takes part in a round.
    fn open(&self, key: RoundKey, opening: Opening);

    /// Where a process can read these memories, if it can read all of them.
    fn offer_memories(&self, key: RoundKey, arrays: u64, to: ProcessId, memories: &[NonNull<[u8]>]) -> bool;

    /// Offers packed elements; gives what has to stay until all were taken.
    fn offer_packed(&self, key: RoundKey, arrays: u64, to: ProcessId, packed: FreshBytes) -> Option<FreshBytes>;

    /// The elements that have come, by their senders.
    fn deliveries(&self, key: RoundKey) -> Result<Vec<(ProcessId, Delivered)>, Error>;

    /// Tells these senders that their elements were taken.
    fn taken(&self, key: RoundKey, from: &BTreeSet<ProcessId>);

    /// Tells these processes that this one takes no part.
    fn refuse(&self, key: RoundKey, role: RoundRole, others: &BTreeSet<ProcessId>, why: &Error);

    /// What a round has failed with.
    fn failure(&self, key: RoundKey) -> Option<Error>;

    /// Ends a round here; what it has failed with.
    fn close(&self, key: RoundKey) -> Option<Error>;

    /// Moves messages until `over`, where the thread that waits has to; else returns at once.
    fn drive(&self, over: &dyn Fn() -> bool);
}
