//! Lock-free structures, each with its invariant in `README.md`, which also says what loom checks.

pub(crate) mod deque;
#[allow(unsafe_code, reason = "entries keep their addresses, which safe Rust cannot promise")]
pub(crate) mod slab;

/// The atomics in use: the standard library's, or loom's when the structures are model-checked.
pub(crate) mod atomic {
    #[cfg(loom)]
    pub(crate) use loom::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering, fence};
    #[cfg(not(loom))]
    pub(crate) use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering, fence};
}
