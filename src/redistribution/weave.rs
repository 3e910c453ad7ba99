//! Woven copies: several strided copies that read one region of a source memory, made in the order in which it lies there.
//!
//! Where blocks of two sizes meet, each copy reads some runs of every row and leaves the rest to others. One after the
//! other they would read the region with gaps, once for each; in turns they read it from its beginning to its end, as
//! the processor's prefetcher expects. Whole lines are written past the caches, so the order at the targets is free.
#![allow(unsafe_code, reason = "copies between memories of other owners")]

use super::byte_level::ByteStep;
use super::shape::{Kernel, Shape};
use super::streamed_lines;
use super::strided::STREAMED;
use crate::error::Error;
use crate::memory;

/// At most so many copies are made in turns.
pub(super) const MOST: usize = 64;

/// One of the copies.
#[derive(Clone, Copy)]
pub(super) struct Strand<'a> {
    pub(super) shape: &'a Shape,
    pub(super) source: *const u8,
    pub(super) target: *mut u8,
}

impl Strand<'_> {
    /// The length of a run and the step between two.
    fn runs(&self) -> (usize, ByteStep) {
        match self.shape.kernel {
            Kernel::Runs { bytes, step } => (bytes, step),
            _ => unreachable!("only runs are woven"),
        }
    }
}

/// The shape with its levels in the order in which the source lies, outermost first; `None`: these runs are not streamed.
pub(super) fn by_source(shape: &Shape) -> Result<Option<Shape>, Error> {
    let Kernel::Runs { bytes, step } = shape.kernel else { return Ok(None) };
    if !STREAMED.contains(&bytes) {
        return Ok(None);
    }
    let mut outer = Vec::new();
    memory::room_for(&mut outer, shape.outer.len() + 1)?;
    outer.extend(shape.outer.iter().copied().chain([step]));
    outer.sort_by_key(|s| std::cmp::Reverse(s.source.unsigned_abs()));
    let innermost = outer.pop();
    Ok(innermost.map(|step| Shape { kernel: Kernel::Runs { bytes, step }, outer }))
}

/// Whether a copy that begins `distance` bytes behind another one at the source can be made in turns with it.
pub(super) fn together(first: &Shape, next: &Shape, distance: isize) -> bool {
    let (Kernel::Runs { step, .. }, Kernel::Runs { step: other, .. }) = (first.kernel, next.kernel) else {
        return false;
    };
    let alike = |(a, b): (&ByteStep, &ByteStep)| a.count == b.count && a.source == b.source;
    step.source == other.source
        && distance.unsigned_abs() < step.source.unsigned_abs()
        && first.outer.len() == next.outer.len()
        && first.outer.iter().zip(&next.outer).all(alike)
}

/// Makes one copy, or several in turns, one run of each at a time. `stream`: whole lines may go past the caches; a fence
/// has to follow.
///
/// # Safety
/// The contract of [`Shape::copy`] for each. If they are several: at most [`MOST`], all [`together`] with the first one,
/// and [`streamed_lines::can_stream`].
pub(super) unsafe fn copy<'a>(mut strands: impl ExactSizeIterator<Item = Strand<'a>>, stream: bool) {
    let Some(first) = strands.next() else { return };
    if strands.len() == 0 {
        // SAFETY: by this function's contract.
        return unsafe { first.shape.copy(first.source, first.target, stream) };
    }
    let mut all = [first; MOST];
    let count = 1 + strands.len();
    all[1..].iter_mut().zip(strands).for_each(|(place, strand)| *place = strand);
    let strands = &mut all[..count];
    let outer = &first.shape.outer;
    let mut at = vec![0; outer.len()];
    while outer.iter().all(|step| step.count > 0) {
        for (source, target, bytes) in runs(strands) {
            // SAFETY: a run of a copy, by this function's contract.
            unsafe { streamed_lines::stream_run(source, target, bytes) };
        }
        // The next step of the innermost level that has one; those inside begin anew.
        let next = (0..outer.len()).rev().find(|&level| at[level] + 1 < outer[level].count);
        let inside = next.map_or(0, |level| level + 1);
        for (level, steps) in at.iter_mut().enumerate().skip(inside) {
            move_on(strands, level, -(*steps as isize));
            *steps = 0;
        }
        let Some(level) = next else { return };
        move_on(strands, level, 1);
        at[level] += 1;
    }
}

/// Moves all strands by so many steps of a level.
fn move_on(strands: &mut [Strand], level: usize, steps: isize) {
    for strand in strands {
        let step = strand.shape.outer[level];
        strand.source = strand.source.wrapping_offset(steps * step.source);
        strand.target = strand.target.wrapping_offset(steps * step.target);
    }
}

/// The runs of the strands where they are, in turns: the places at the source and the target, and the bytes.
fn runs<'a>(strands: &'a [Strand]) -> impl Iterator<Item = (*const u8, *mut u8, usize)> + use<'a> {
    let turns = strands.iter().map(|s| s.runs().1.count).max().unwrap_or(0);
    (0..turns).flat_map(move |turn| {
        strands.iter().filter_map(move |strand| {
            let (bytes, step) = strand.runs();
            let by = turn as isize;
            let (source, target) = (by * step.source, by * step.target);
            (turn < step.count)
                .then(|| (strand.source.wrapping_offset(source), strand.target.wrapping_offset(target), bytes))
        })
    })
}
