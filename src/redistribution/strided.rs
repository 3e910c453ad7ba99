//! Kernels for runs and for elements a step apart.
#![allow(unsafe_code, reason = "copies between memories of other owners")]

use std::ptr::copy_nonoverlapping;

use super::shape::Step;

/// Copies `step.count` runs of `bytes` each.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
pub(super) unsafe fn runs(bytes: usize, step: Step, mut source: *const u8, mut target: *mut u8) {
    for _ in 0..step.count {
        // SAFETY: by this function's contract.
        unsafe { copy_nonoverlapping(source, target, bytes) };
        (source, target) = (source.wrapping_offset(step.source), target.wrapping_offset(step.target));
    }
}

/// Copies `step.count` elements of `size` bytes each.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
pub(super) unsafe fn elements(size: usize, step: Step, source: *const u8, target: *mut u8) {
    macro_rules! sized {
        ($($n:literal)*) => {
            match size {
                // SAFETY: by this function's contract.
                $($n => unsafe { fixed::<$n>(step, source, target) },)*
                // SAFETY: by this function's contract.
                _ => unsafe { runs(size, step, source, target) },
            }
        };
    }
    sized!(1 2 3 4 5 6 7 8 10 12 14 16 20 24 28 32 40 48 56 64);
}

/// # Safety
/// As for [`super::shape::Shape::copy`].
unsafe fn fixed<const N: usize>(step: Step, mut source: *const u8, mut target: *mut u8) {
    for _ in 0..step.count {
        // SAFETY: by this function's contract.
        unsafe { copy_nonoverlapping(source, target, N) };
        (source, target) = (source.wrapping_offset(step.source), target.wrapping_offset(step.target));
    }
}
