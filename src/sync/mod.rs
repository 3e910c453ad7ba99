//! Lock-free structures, each with its invariant in `README.md`, which also says what loom checks.

pub(crate) mod countdown;
pub(crate) mod deque;
#[allow(unsafe_code, reason = "the barrier instruction, and the system call that is the other half of a light fence")]
pub(crate) mod fence;
pub(crate) mod hand_off_slot;
#[allow(unsafe_code, reason = "the nodes are linked by address and allocate nothing")]
pub(crate) mod inbox;
#[allow(unsafe_code, reason = "the value that is locked, and the system call that threads sleep in")]
pub(crate) mod lock;
pub(crate) mod magazine;
#[cfg(all(test, loom))]
mod magazine_model;
pub(crate) mod modelled;
#[allow(unsafe_code, reason = "the instruction")]
pub(crate) mod prefetch;
#[allow(unsafe_code, reason = "entries keep their addresses, which safe Rust cannot promise")]
pub(crate) mod slab;
#[cfg(all(test, loom))]
mod slab_model;
pub(crate) mod spin;
#[allow(unsafe_code, reason = "calls of the C library")]
pub(crate) mod thread;

/// What `slab` is made of. Statics need the standard library's atomics, which loom's cannot replace: the model has parts
/// of its own.
mod slab_parts {
    pub(super) use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

    /// The number of entries of the first level: enough that most programs have no other. What is not used is never
    /// touched, so it takes addresses and no memory.
    pub(super) const FIRST: u32 = 1 << 16;
}

impl<T: Sync> slab::Slab<T> {
    /// An empty row.
    pub(crate) const fn new() -> slab::Slab<T> {
        use slab_parts::{AtomicPtr, AtomicU32};
        slab::Slab { levels: [const { AtomicPtr::new(std::ptr::null_mut()) }; slab::LEVELS], length: AtomicU32::new(0) }
    }
}

/// What `magazine` is made of, for the same reason.
mod magazine_parts {
    pub(super) use super::lock::Mutex;
}

impl<T> magazine::Depot<T> {
    /// Without items.
    pub(crate) const fn new() -> magazine::Depot<T> {
        magazine::Depot(magazine_parts::Mutex::new(magazine::Stock::EMPTY))
    }
}

/// The atomics in use: the standard library's, or loom's when the structures are model-checked.
pub(crate) mod atomic {
    #[cfg(loom)]
    pub(crate) use loom::{
        sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
        thread::yield_now,
    };
    #[cfg(not(loom))]
    pub(crate) use std::{
        sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering},
        thread::yield_now,
    };
}
