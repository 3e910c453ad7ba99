//! Memory of another room that data lie in: it stays until its keeper is dropped.

use std::ptr::NonNull;

/// Keeps memory for its user.
///
/// # Safety
/// `memory` is the same at each call. Until the value is dropped it can be read, and written if `is_writable`; the
/// implementor itself does neither.
pub unsafe trait KeptMemory: Send + Sync {
    /// The memory.
    fn memory(&self) -> NonNull<[u8]>;

    /// Whether its user may write.
    fn is_writable(&self) -> bool;
}

/// Memory for data that other processes are to read where it lies.
pub(crate) struct NewMemory {
    pub(crate) keeper: Box<dyn KeptMemory>,
    /// Whether all its bytes are zero.
    pub(crate) is_zero: bool,
}

/// Makes such memory.
pub(crate) trait MemorySource: Send + Sync {
    /// Writable memory of so many bytes, if there is any.
    fn allocate(&self, bytes: usize) -> Option<NewMemory>;
}
