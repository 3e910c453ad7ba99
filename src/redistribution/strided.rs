//! Kernels for runs and for elements a step apart.
#![allow(unsafe_code, reason = "copies between memories of other owners")]

use std::ptr::copy_nonoverlapping;

use super::byte_level::ByteStep;
use super::streamed_lines;

/// Runs of these lengths are streamed.
pub(super) const STREAMED: std::ops::Range<usize> = 128..4096;

/// Copies `step.count` runs of `bytes` each. `stream`: whole lines of short runs go past the caches; memcpy knows what
/// to do with long ones.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
pub(super) unsafe fn runs(bytes: usize, step: ByteStep, mut source: *const u8, mut target: *mut u8, stream: bool) {
    let stream = stream && (STREAMED).contains(&bytes) && streamed_lines::can_stream();
    for _ in 0..step.count {
        // SAFETY: by this function's contract.
        unsafe {
            if stream {
                streamed_lines::stream_run(source, target, bytes);
            } else {
                copy_nonoverlapping(source, target, bytes);
            }
        }
        (source, target) = (source.wrapping_offset(step.source), target.wrapping_offset(step.target));
    }
}

/// Copies `step.count` elements of `size` bytes each.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
pub(super) unsafe fn elements(size: usize, step: ByteStep, source: *const u8, target: *mut u8) {
    macro_rules! sized {
        ($($n:literal)*) => {
            match size {
                $($n => fixed::<$n>,)*
                _ => runs,
            }
        };
    }
    type Kernel = unsafe fn(usize, ByteStep, *const u8, *mut u8, bool);
    let kernel: Kernel = sized!(1 2 3 4 5 6 7 8 10 12 14 16 20 24 28 32 40 48 56 64);
    // SAFETY: by this function's contract.
    unsafe { kernel(size, step, source, target, false) };
}

/// # Safety
/// As for [`super::shape::Shape::copy`].
unsafe fn fixed<const N: usize>(_: usize, step: ByteStep, mut source: *const u8, mut target: *mut u8, _: bool) {
    for _ in 0..step.count {
        // SAFETY: by this function's contract.
        unsafe { copy_nonoverlapping(source, target, N) };
        (source, target) = (source.wrapping_offset(step.source), target.wrapping_offset(step.target));
    }
}
