//! Lock-free structures, each with its invariant in `README.md`, which also says what loom checks.

pub(crate) mod deque;
#[allow(unsafe_code, reason = "entries keep their addresses, which safe Rust cannot promise")]
pub(crate) mod slab;
#[cfg(all(test, loom))]
mod slab_model;

/// What `slab` is made of. Statics need the standard library's atomics, which loom's cannot replace: the model has parts
/// of its own.
mod slab_parts {
    pub(super) use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

    /// The number of entries of the first level.
    pub(super) const FIRST: u32 = 1024;
}

impl<T: Sync> slab::Slab<T> {
    /// An empty row.
    pub(crate) const fn new() -> slab::Slab<T> {
        use slab_parts::{AtomicPtr, AtomicU32};
        slab::Slab { levels: [const { AtomicPtr::new(std::ptr::null_mut()) }; slab::LEVELS], length: AtomicU32::new(0) }
    }
}

/// The atomics in use: the standard library's, or loom's when the structures are model-checked.
pub(crate) mod atomic {
    #[cfg(loom)]
    pub(crate) use loom::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering, fence};
    #[cfg(not(loom))]
    pub(crate) use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering, fence};
}
