//! Fences that cost less than the compiler's.

/// A sequentially consistent fence.
///
/// The compiler makes `mfence` of it on x86, which also waits for the write-combining buffers and takes twice as long as a
/// locked instruction on the stack. Both empty the store buffer, which is what orders a store before a later load.
#[inline]
#[cfg(all(target_arch = "x86_64", not(loom), not(miri)))]
#[allow(unsafe_code, reason = "one instruction in assembly")]
pub(crate) fn full() {
    // SAFETY: adds 0 to the word at the top of the stack, which is ours; the flags are declared as changed.
    unsafe { std::arch::asm!("lock or dword ptr [rsp], 0", options(nostack)) };
}

/// A sequentially consistent fence.
#[inline]
#[cfg(not(all(target_arch = "x86_64", not(loom), not(miri))))]
pub(crate) fn full() {
    #[cfg(loom)]
    use loom::sync::atomic::{Ordering, fence};
    #[cfg(not(loom))]
    use std::sync::atomic::{Ordering, fence};
    fence(Ordering::SeqCst);
}
