//! Identities: who is meant, as types that the compiler tells apart. Bare numbers are C's, and stand in `ffi` only.
//!
//! A processing is not taken for a datum:
//!
//! ```compile_fail,E0308
//! use dvm::id::{DatumId, ProcessingId};
//! fn relax(_: DatumId) {}
//! relax(ProcessingId::from_raw([0, 1]));
//! ```
//!
//! nor is a pair of numbers:
//!
//! ```compile_fail,E0308
//! use dvm::id::DatumId;
//! fn relax(_: DatumId) {}
//! relax([0, 1]);
//! ```
//!
//! but a datum is:
//!
//! ```
//! use dvm::id::DatumId;
//! fn relax(_: DatumId) {}
//! relax(DatumId::from_raw([0, 1]));
//! ```
//!
//! Numbers of nodes and cores are no rank:
//!
//! ```compile_fail,E0308
//! use dvm::id::Rank;
//! fn run_on(_: &Rank) {}
//! run_on(&[0, 1, 3, 0, 0, 0, 0, 0]);
//! ```
//!
//! nor is a worker's index:
//!
//! ```compile_fail,E0308
//! use dvm::id::Rank;
//! fn run_on(_: &Rank) {}
//! let worker: usize = 3;
//! run_on(&worker);
//! ```
//!
//! nor can one be counted with:
//!
//! ```compile_fail,E0369
//! use dvm::id::Rank;
//! let _ = Rank::FIRST + 1;
//! ```
//!
//! but C's array becomes one:
//!
//! ```
//! use dvm::id::Rank;
//! fn run_on(_: &Rank) {}
//! run_on(&Rank::from_raw([0, 1, 3, 0, 0, 0, 0, 0]));
//! ```
#![allow(unsafe_code, reason = "lists of pairs from C are lists of ids")]

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHasher;

/// A map by ids or numbers that processes of the job have chosen: a quick hash is enough.
pub(crate) type IdMap<K, V> = HashMap<K, V, BuildHasherDefault<FxHasher>>;

/// A process of the job.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(u64);

/// The index of the calling process; written while no engine runs.
// What reads it is not for other crates: so it needs no entry in the table of addresses.
static HERE: AtomicU64 = AtomicU64::new(0);

impl ProcessId {
    /// The process that starts the job, and ends it.
    pub const FIRST: ProcessId = ProcessId(0);

    /// The calling process.
    #[inline]
    pub(crate) fn here() -> ProcessId {
        ProcessId(HERE.load(Ordering::Relaxed))
    }

    /// Makes this the calling process's id, before it makes any other id of its job.
    pub(crate) fn become_here(self) {
        HERE.store(self.0, Ordering::Relaxed);
    }

    /// The process with this index in the job.
    #[inline]
    pub const fn from_index(index: u32) -> ProcessId {
        ProcessId(index as u64)
    }

    /// Its index in the job.
    #[inline]
    pub const fn index(self) -> u64 {
        self.0
    }
}

impl fmt::Display for ProcessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The types that are a process and a number of that process.
macro_rules! identity {
    ($(#[$text:meta])* $name:ident) => {
        $(#[$text])*
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u64; 2]);

        impl $name {
            /// The id of what the calling process made under this number.
            #[inline]
            pub(crate) fn here(number: u64) -> Self {
                Self([ProcessId::here().0, number])
            }

            /// An id as C gave it.
            #[inline]
            pub const fn from_raw(raw: [u64; 2]) -> Self {
                Self(raw)
            }

            /// The id as C takes it.
            #[inline]
            pub const fn raw(self) -> [u64; 2] {
                self.0
            }

            /// The process that made it.
            #[inline]
            pub const fn home(self) -> ProcessId {
                ProcessId(self.0[0])
            }

            /// Its number there, which is never given twice.
            #[inline]
            pub const fn number(self) -> u64 {
                self.0[1]
            }

            /// Whether the calling process made it.
            #[inline]
            pub(crate) fn is_here(self) -> bool {
                self.0[0] == ProcessId::here().0
            }
        }

        /// As C programmers write it: `{home, number}`.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{{{}, {}}}", self.0[0], self.0[1])
            }
        }
    };
}

identity! {
    /// A datum.
    DatumId
}

identity! {
    /// A processing.
    ProcessingId
}

impl DatumId {
    /// The id that is never given, and stands for none.
    pub const NONE: DatumId = DatumId([0, 0]);

    /// The ids of a list as C takes it.
    #[inline]
    pub const fn raw_list(list: &mut [DatumId]) -> &mut [[u64; 2]] {
        // SAFETY: the type is transparent, so that the list has the same layout, and every pair is an id.
        unsafe { std::slice::from_raw_parts_mut(list.as_mut_ptr().cast(), list.len()) }
    }
}

/// The coordinates of a processing unit in the machine: its host, then its index among the siblings on each level that
/// branches, outermost first. Components that the machine does not use are 0.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank([u64; Rank::DEPTH]);

impl Rank {
    /// The number of components: `DVM_MAX_RANK_DEPTH`.
    pub const DEPTH: usize = 8;

    /// The first processing unit's.
    pub const FIRST: Rank = Rank([0; Rank::DEPTH]);

    /// A rank as C gave it.
    #[inline]
    pub const fn from_raw(raw: [u64; Rank::DEPTH]) -> Self {
        Self(raw)
    }

    /// The rank as C takes it.
    #[inline]
    pub const fn raw(&self) -> &[u64; Rank::DEPTH] {
        &self.0
    }

    /// The outermost components.
    #[inline]
    pub fn outer(&self, components: usize) -> &[u64] {
        &self.0[..components]
    }

    /// The rank of the first processing unit below the next sibling on the level of `component`.
    #[must_use]
    pub fn next(mut self, component: usize) -> Self {
        self.0[component] += 1;
        self.0[component + 1..].fill(0);
        self
    }
}
