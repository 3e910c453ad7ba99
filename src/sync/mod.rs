//! Lock-free structures, each with its invariant in `README.md`, which also says what loom checks.

pub(crate) mod deque;
#[allow(unsafe_code, reason = "the barrier instruction, and the system call that is the other half of a light fence")]
pub(crate) mod fence;
#[allow(unsafe_code, reason = "the nodes are linked by address and allocate nothing")]
pub(crate) mod inbox;
#[allow(unsafe_code, reason = "the instruction")]
pub(crate) mod prefetch;
#[allow(unsafe_code, reason = "entries keep their addresses, which safe Rust cannot promise")]
pub(crate) mod slab;
pub(crate) mod spin;

/// The atomics in use: the standard library's, or loom's when the structures are model-checked.
pub(crate) mod atomic {
    #[cfg(loom)]
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
    #[cfg(not(loom))]
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
}
