//! Blocked transposition: contiguous at the source along one level, at the target along another.
#![allow(unsafe_code, reason = "copies between memories of other owners")]

use std::ptr::copy_nonoverlapping;

use super::shape::Step;

/// Blocks have so many elements in both directions: the pages of both sides stay in the translation buffers.
pub(super) const BLOCK: usize = 64;

/// Elements along a cache line in both directions.
const TILE: usize = 8;

/// Copies the plane of two levels: `across` is contiguous at the source, `along` at the target.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
pub(super) unsafe fn plane(size: usize, across: Step, along: Step, source: *const u8, target: *mut u8) {
    macro_rules! sized {
        ($($n:literal)*) => {
            match size {
                // SAFETY: by this function's contract.
                $($n => unsafe { blocks(across, along, source, target, tile::<$n>) },)*
                _ => {
                    // SAFETY: by this function's contract.
                    unsafe { blocks(across, along, source, target, |a, b, s, t| tile_of(size, a, b, s, t)) }
                }
            }
        };
    }
    sized!(1 2 4 8 12 16 24 32 48 64);
}

/// Walks over the plane in blocks, and over each block in tiles.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
unsafe fn blocks(
    across: Step,
    along: Step,
    source: *const u8,
    target: *mut u8,
    tile: impl Fn(Step, Step, *const u8, *mut u8),
) {
    let at = |a: usize, b: usize| {
        let (a, b) = (a as isize, b as isize);
        (
            source.wrapping_offset(a * across.source + b * along.source),
            target.wrapping_offset(a * across.target + b * along.target),
        )
    };
    let mut a = 0;
    while a < across.count {
        let wide = BLOCK.min(across.count - a);
        let mut b = 0;
        while b < along.count {
            let long = BLOCK.min(along.count - b);
            for i in (a..a + wide).step_by(TILE) {
                for j in (b..b + long).step_by(TILE) {
                    let (s, t) = at(i, j);
                    let part = |step: Step, count: usize| Step { count, ..step };
                    tile(part(across, TILE.min(a + wide - i)), part(along, TILE.min(b + long - j)), s, t);
                }
            }
            b += BLOCK;
        }
        a += BLOCK;
    }
}

fn tile<const N: usize>(across: Step, along: Step, source: *const u8, target: *mut u8) {
    for a in 0..across.count as isize {
        for b in 0..along.count as isize {
            // SAFETY: a place of the plane: `blocks` stays inside its levels.
            unsafe {
                copy_nonoverlapping(
                    source.offset(a * N as isize + b * along.source),
                    target.offset(a * across.target + b * N as isize),
                    N,
                );
            }
        }
    }
}

fn tile_of(size: usize, across: Step, along: Step, source: *const u8, target: *mut u8) {
    for a in 0..across.count as isize {
        for b in 0..along.count as isize {
            // SAFETY: a place of the plane: `blocks` stays inside its levels.
            unsafe {
                copy_nonoverlapping(
                    source.offset(a * across.source + b * along.source),
                    target.offset(a * across.target + b * along.target),
                    size,
                );
            }
        }
    }
}
