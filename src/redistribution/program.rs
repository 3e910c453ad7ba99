//! A plan for one size of element: pieces of a size that workers take one at a time.

use std::collections::HashMap;
use std::ops::Range;

use super::lines;
use super::plan::Copies;
use super::shape::Shape;
use crate::error::Error;

/// A piece has about so many bytes at most, so that pieces of one region of the target meet in the second-level cache.
const PIECE: usize = 64 << 10;

/// Workers take so many bytes at a time, in whole pieces.
const UNIT: usize = 512 << 10;

/// From so many bytes on the target is not found in the caches later, and is written past them.
const STREAMED: usize = 32 << 20;

/// A copy costs as much as so many bytes, however short it is.
const OVERHEAD: usize = 256;

/// One piece of a copy, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) source: u32,
    pub(super) target: u32,
    pub(super) source_at: isize,
    pub(super) target_at: isize,
    shape: u32,
}

/// The pieces of a plan, and the units of work that they make up.
#[derive(Debug, Default)]
pub(crate) struct Program {
    shapes: Vec<Shape>,
    pieces: Vec<Piece>,
    units: Vec<Range<u32>>,
    /// Whether whole lines go past the caches.
    stream: bool,
}

impl Program {
    /// Cuts copies of elements of `element` bytes into pieces, in the order of their places at the target.
    pub(super) fn new(copies: &Copies, element: usize) -> Result<Self, Error> {
        let shapes: Vec<Shape> = copies.shapes.iter().map(|levels| Shape::new(levels, element)).collect();
        let mut numbers: HashMap<Shape, u32> = HashMap::new();
        let mut program = Self::default();
        for copy in &copies.list {
            let (source_at, target_at) =
                (copy.source_at as isize * element as isize, copy.target_at as isize * element as isize);
            shapes[copy.shape as usize].cut(PIECE, &mut |shape, source, target| {
                let known = numbers.get(shape).copied();
                let number = known.unwrap_or_else(|| {
                    let next = program.shapes.len() as u32;
                    program.shapes.push(shape.clone());
                    numbers.insert(shape.clone(), next);
                    next
                });
                program.pieces.push(Piece {
                    source: copy.source,
                    target: copy.target,
                    source_at: source_at + source,
                    target_at: target_at + target,
                    shape: number,
                });
            });
        }
        if u32::try_from(program.pieces.len()).is_err() {
            return Err(Error::argument(
                "the plan has more than 2^32 pieces: redistribute a part of the array at a time",
            ));
        }
        program.pieces.sort_unstable_by_key(|p| (p.target, p.target_at, p.source, p.source_at));
        program.gather();
        Ok(program)
    }

    /// Gathers pieces into units.
    fn gather(&mut self) {
        let total: usize = self.pieces.iter().map(|p| self.shapes[p.shape as usize].bytes()).sum();
        self.stream = total >= STREAMED;
        let (mut from, mut bytes) = (0, 0);
        for (k, piece) in self.pieces.iter().enumerate() {
            bytes += self.shapes[piece.shape as usize].bytes() + OVERHEAD;
            if bytes >= UNIT || k + 1 == self.pieces.len() {
                self.units.push(from..k as u32 + 1);
                (from, bytes) = (k as u32 + 1, 0);
            }
        }
    }

    /// The number of units.
    pub(super) fn units(&self) -> usize {
        self.units.len()
    }

    /// Makes the copies of a unit between memories at these addresses.
    ///
    /// # Safety
    /// The memories that the plan uses are there, are as long as it says, do not overlap where one of them is a target,
    /// and nobody else writes them or reads the targets meanwhile, apart from other units of the same program.
    #[allow(unsafe_code, reason = "copies between memories of other owners")]
    pub(super) unsafe fn run(&self, unit: usize, source: &[*mut u8], target: &[*mut u8]) {
        let Range { start, end } = self.units[unit];
        for piece in &self.pieces[start as usize..end as usize] {
            let from = source[piece.source as usize].wrapping_offset(piece.source_at);
            let to = target[piece.target as usize].wrapping_offset(piece.target_at);
            // SAFETY: the plan's places lie inside the memories; no two pieces write one place.
            unsafe { self.shapes[piece.shape as usize].copy(from, to, self.stream) };
        }
        if self.stream {
            lines::fence();
        }
    }

    /// The same, with whole lines past the caches or not, whatever its size.
    #[cfg(test)]
    pub(super) fn streaming(&self, stream: bool) -> Self {
        Self { stream, shapes: self.shapes.clone(), pieces: self.pieces.clone(), units: self.units.clone() }
    }
}
