//! Blocked transposition: contiguous at the source along one level, at the target along another.
//!
//! The plane is walked over in strips of [`BLOCK`] target rows, so that the pages of both sides stay in the translation
//! buffers, and each strip in tiles of one cache line on both sides. A tile reads whole lines, which the hardware fetches
//! ahead along the source, and writes whole lines, past the caches when that was asked for.
#![allow(unsafe_code, reason = "copies between memories of other owners")]

use std::ptr::copy_nonoverlapping;

use super::byte_level::ByteStep;
use super::streamed_lines::{self, LINE};
use super::transposed_plane::Plane;

/// Strips are so many target rows wide.
pub(super) const BLOCK: usize = 64;

/// Tiles of elements that do not fill a line evenly have so many elements in both directions.
const TILE: usize = 8;

/// Copies the plane of two levels. `stream`: whole lines go past the caches.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
pub(super) unsafe fn plane(
    size: usize,
    across: ByteStep,
    along: ByteStep,
    source: *const u8,
    target: *mut u8,
    stream: bool,
) {
    macro_rules! sized {
        ($($n:literal)*) => {
            match size {
                $($n => strips::<$n>,)*
                _ => any_size,
            }
        };
    }
    let kernel: unsafe fn(usize, &Plane, bool) = sized!(1 2 4 8 12 16 24 32 48);
    // SAFETY: by this function's contract.
    unsafe { kernel(size, &Plane { across, along, source, target }, stream) };
}

/// Walks over the plane in strips, and over each strip in tiles.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
unsafe fn strips<const N: usize>(_: usize, plane: &Plane, stream: bool) {
    let tile = if LINE.is_multiple_of(N) { LINE / N } else { TILE };
    // Where rows begin at different places of a line, no tile could write whole lines of all of them.
    let even = LINE.is_multiple_of(N)
        && plane.across.target.unsigned_abs().is_multiple_of(LINE)
        && plane.target.addr().is_multiple_of(N);
    let head = if even { (plane.target.addr().wrapping_neg() % LINE / N).min(plane.along.count) } else { 0 };
    let whole = even && stream && streamed_lines::can_stream();
    for a in (0..plane.across.count).step_by(BLOCK) {
        let wide = BLOCK.min(plane.across.count - a);
        if head > 0 {
            // SAFETY: a part of the plane.
            unsafe { plain::<N>(&plane.part((a, 0), (wide, head))) };
        }
        for b in (head..plane.along.count).step_by(tile) {
            let long = tile.min(plane.along.count - b);
            for i in (a..a + wide).step_by(tile) {
                let part = plane.part((i, b), (tile.min(a + wide - i), long));
                // SAFETY: a part of the plane; a full tile of a plane with even rows begins at a line.
                unsafe {
                    if part.across.count == tile && long == tile && LINE.is_multiple_of(N) {
                        full::<N>(&part, whole);
                    } else {
                        plain::<N>(&part);
                    }
                }
            }
        }
    }
}

/// Element by element.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
unsafe fn plain<const N: usize>(part: &Plane) {
    for a in 0..part.across.count {
        for b in 0..part.along.count {
            let (source, target) = part.at(a, b);
            // SAFETY: an element of the plane.
            unsafe { copy_nonoverlapping(source, target, N) };
        }
    }
}

/// A tile of a line's elements in both directions.
///
/// # Safety
/// As for [`super::shape::Shape::copy`]; with `stream` each target row begins at a line, and
/// [`streamed_lines::can_stream`].
unsafe fn full<const N: usize>(part: &Plane, stream: bool) {
    #[cfg(target_arch = "x86_64")]
    if N == 8 && streamed_lines::has_avx2() {
        // SAFETY: the processor has AVX2; the rest by this function's contract.
        return unsafe { eight::tile(part, stream) };
    }
    for a in 0..LINE / N {
        let mut line = streamed_lines::CacheLine::default();
        for b in 0..LINE / N {
            // SAFETY: an element of the plane; the line has as many.
            unsafe { copy_nonoverlapping(part.at(a, b).0, line.0.as_mut_ptr().add(b * N), N) };
        }
        // SAFETY: a row of the tile, which is a line long.
        unsafe { streamed_lines::put(&line, part.at(a, 0).1, stream) };
    }
}

/// Elements of a size that has no kernel of its own.
///
/// # Safety
/// As for [`super::shape::Shape::copy`].
unsafe fn any_size(size: usize, plane: &Plane, _: bool) {
    for a in (0..plane.across.count).step_by(TILE) {
        for b in 0..plane.along.count {
            for i in a..plane.across.count.min(a + TILE) {
                let (source, target) = plane.at(i, b);
                // SAFETY: an element of the plane.
                unsafe { copy_nonoverlapping(source, target, size) };
            }
        }
    }
}

/// Elements of eight bytes, in registers.
#[cfg(target_arch = "x86_64")]
mod eight {
    use std::arch::x86_64::{
        __m256d, _mm256_loadu_pd, _mm256_permute2f128_pd, _mm256_storeu_pd, _mm256_stream_pd, _mm256_unpackhi_pd,
        _mm256_unpacklo_pd,
    };

    use crate::redistribution::transposed_plane::Plane;

    /// Four rows of four become four columns.
    #[target_feature(enable = "avx2")]
    fn turned(rows: [__m256d; 4]) -> [__m256d; 4] {
        let [a, b, c, d] = rows;
        let (ab, cd) = (
            (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)),
            (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d)),
        );
        [
            _mm256_permute2f128_pd::<0x20>(ab.0, cd.0),
            _mm256_permute2f128_pd::<0x20>(ab.1, cd.1),
            _mm256_permute2f128_pd::<0x31>(ab.0, cd.0),
            _mm256_permute2f128_pd::<0x31>(ab.1, cd.1),
        ]
    }

    /// A tile of eight by eight.
    ///
    /// # Safety
    /// As for [`super::full`].
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn tile(part: &Plane, stream: bool) {
        for a in [0, 4] {
            // SAFETY: four elements from (a, b) on, which lie inside the tile.
            let load = |b: usize| unsafe { _mm256_loadu_pd(part.at(a, b).0.cast()) };
            let (low, high) =
                (turned([load(0), load(1), load(2), load(3)]), turned([load(4), load(5), load(6), load(7)]));
            for k in 0..4 {
                let target: *mut f64 = part.at(a + k, 0).1.cast();
                // SAFETY: a row of the tile has eight elements; with `stream` it begins at a line.
                unsafe {
                    if stream {
                        _mm256_stream_pd(target, low[k]);
                        _mm256_stream_pd(target.add(4), high[k]);
                    } else {
                        _mm256_storeu_pd(target, low[k]);
                        _mm256_storeu_pd(target.add(4), high[k]);
                    }
                }
            }
        }
    }
}
