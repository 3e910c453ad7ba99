//! One datum's state, and when it may go.

use parking_lot::{Condvar, Mutex};

use super::storage::Storage;
use super::waiting::{Owner, Waiters};

/// The home of a datum that no worker has written.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// How far a datum's value has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// There is no datum: the entry is free.
    Free,
    /// The bytes do not exist yet.
    Promised,
    /// The bytes exist and do not change any more.
    Published,
    /// There will never be bytes: the producer failed or was cancelled.
    Poisoned,
}

/// Who produces a datum. While there is one, the datum stays, whatever its references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Producer {
    /// Nobody yet, or nobody any more.
    Nobody,
    /// The program, between write and publish.
    Hand,
    /// A task, from its scheduling to its end.
    Task(Owner),
}

/// One datum.
pub(super) struct Body {
    /// Tells the data that use this entry one after the other apart; the upper half of the id's number.
    pub(super) generation: u32,
    pub(super) phase: Phase,
    pub(super) producer: Producer,
    /// References that the program holds.
    pub(super) available: u32,
    /// References that scheduled tasks have taken.
    pub(super) taken: u32,
    /// Gets that have not been put, sleeping ones included.
    pub(super) gets: u32,
    /// Those among them that were made outside tasks.
    pub(super) outside: u32,
    /// The worker that wrote the bytes.
    pub(super) home: u32,
    /// Threads that sleep until the datum is published.
    pub(super) sleepers: u32,
    pub(super) size: usize,
    pub(super) storage: Storage,
    /// The number of the datum whose storage this one carries on; 0 for none.
    pub(super) predecessor: u64,
    pub(super) waiters: Waiters,
}

/// A datum behind its lock, and what threads that wait for its publication sleep on.
#[repr(align(64))]
pub(super) struct Slot {
    pub(super) body: Mutex<Body>,
    pub(super) changed: Condvar,
}

impl Slot {
    /// A free entry.
    pub(super) fn new() -> Slot {
        let body = Body {
            generation: 1,
            phase: Phase::Free,
            producer: Producer::Nobody,
            available: 0,
            taken: 0,
            gets: 0,
            outside: 0,
            home: NOWHERE,
            sleepers: 0,
            size: 0,
            storage: Storage::Absent,
            predecessor: 0,
            waiters: Waiters::NONE,
        };
        Slot { body: Mutex::new(body), changed: Condvar::new() }
    }
}

impl Body {
    /// True while the datum has references: then every call knows its id.
    pub(super) fn referenced(&self) -> bool {
        self.available > 0 || self.taken > 0
    }

    /// True while a producer is at work on it.
    pub(super) fn produced(&self) -> bool {
        self.producer != Producer::Nobody
    }

    /// True while anybody needs the bytes.
    pub(super) fn needed(&self) -> bool {
        self.referenced() || self.produced() || self.gets > 0
    }

    /// True when nobody will ever publish this promise: only threads that sleep on it are left.
    pub(super) fn abandoned(&self) -> bool {
        self.phase == Phase::Promised && !self.referenced() && !self.produced()
    }

    /// True when a successor has taken the storage over and this datum ends with the task that reads it.
    pub(super) fn carried_on(&self) -> bool {
        matches!(self.storage, Storage::Lent { .. })
    }
}
