//! Asking for a cache line before it is needed.

/// Asks for the line at this address, to be written. A hint: any address will do, and nothing is read.
#[inline]
pub(crate) fn to_write<T>(address: *const T) {
    // The intrinsic asks for a line to be read, unless the program is built for a processor that is known to have the
    // instruction; all of 64 bits have it, or take it for nothing.
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, whatever the address.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) address, options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
