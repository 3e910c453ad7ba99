//! Cache lines: stores that go past the caches, for targets that are too large to be found there later.
//!
//! An ordinary store to a line that is not in the cache fetches the line first; a whole line that is streamed is only
//! written. Streamed stores are not ordered with others: [`fence`] before anybody is told.
#![allow(unsafe_code, reason = "copies between memories of other owners")]

use std::ptr::copy_nonoverlapping;

/// The bytes of a cache line.
pub(super) const LINE: usize = 64;

/// The bytes of one line.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub(super) struct CacheLine(pub(super) [u8; LINE]);

impl Default for CacheLine {
    fn default() -> Self {
        Self([0; LINE])
    }
}

/// Whether the processor has AVX2. The standard library keeps the answer.
#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
}

/// Whether lines can be streamed.
pub(super) fn can_stream() -> bool {
    #[cfg(target_arch = "x86_64")]
    return has_avx2();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Orders streamed stores before what follows.
pub(super) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Stores a line.
///
/// # Safety
/// `target` may be written for a line's length; with `stream` it is a multiple of it and [`can_stream`].
pub(super) unsafe fn put(line: &CacheLine, target: *mut u8, stream: bool) {
    #[cfg(target_arch = "x86_64")]
    if stream {
        // SAFETY: by this function's contract.
        return unsafe { stream_lines(line.0.as_ptr(), target, LINE) };
    }
    let _ = stream;
    // SAFETY: by this function's contract.
    unsafe { copy_nonoverlapping(line.0.as_ptr(), target, LINE) };
}

/// Copies a run, its whole lines past the caches.
///
/// # Safety
/// The run may be read at `source` and written at `target`, which do not overlap; [`can_stream`].
pub(super) unsafe fn stream_run(source: *const u8, target: *mut u8, bytes: usize) {
    let head = (target.addr().wrapping_neg() % LINE).min(bytes);
    let whole = (bytes - head) / LINE * LINE;
    // SAFETY: the three parts make up the run; the second begins at a line of the target.
    unsafe {
        copy_nonoverlapping(source, target, head);
        #[cfg(target_arch = "x86_64")]
        stream_lines(source.add(head), target.add(head), whole);
        #[cfg(not(target_arch = "x86_64"))]
        copy_nonoverlapping(source.add(head), target.add(head), whole);
        copy_nonoverlapping(source.add(head + whole), target.add(head + whole), bytes - head - whole);
    }
}

/// Copies whole lines past the caches.
///
/// # Safety
/// As for [`stream_run`]; `target` and `bytes` are multiples of a line.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn stream_lines(source: *const u8, target: *mut u8, bytes: usize) {
    use std::arch::x86_64::{_mm256_loadu_si256, _mm256_stream_si256};
    for at in (0..bytes).step_by(LINE) {
        // SAFETY: by this function's contract.
        unsafe {
            let (from, to) = (source.add(at).cast(), target.add(at).cast());
            let (low, high) = (_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1)));
            _mm256_stream_si256(to, low);
            _mm256_stream_si256(to.add(1), high);
        }
    }
}
