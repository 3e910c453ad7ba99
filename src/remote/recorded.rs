//! What a process counts, and gets of other processes' records.

use std::collections::{BTreeSet, VecDeque};

use crate::id::ProcessId;
use crate::trace::Traffic;
use crate::wire::{Edge, Message};

/// The part of libdvm that messages about records are for.
pub(super) const ROOM: u32 = 1;

/// What a process counts and gets of records.
#[derive(Default)]
pub(super) struct Records {
    pub(super) traffic: Traffic,
    /// Parts that have come, for process 0: from whom, what they are, and their bytes.
    pub(super) parts: VecDeque<(ProcessId, u32, Vec<u8>)>,
    /// Processes that have left, or were lost.
    pub(super) departed: BTreeSet<ProcessId>,
}

impl Records {
    pub(super) fn new(processes: usize) -> Records {
        Records { traffic: Traffic::new(processes), ..Records::default() }
    }
}

/// Whether a message is about records.
pub(super) fn is_record(message: &Message<'_>) -> bool {
    matches!(message, Message::Edge(Edge { room: ROOM, .. }))
}
