//! A plan for one size of element: pieces of a size that workers take one at a time.

use std::collections::HashMap;
use std::ops::Range;

use super::copy_list::{Copies, Copy};
use super::shape::{Limit, Shape};
use super::streamed_lines;
use super::weave::{self, Strand};
use crate::error::Error;
use crate::memory;

/// A piece has about so many bytes at most, so that pieces of one region of the target meet in the second-level cache.
const PIECE: usize = 64 << 10;

/// A piece that is woven with others reaches over about so many bytes of the source ...
const WOVEN: usize = 256 << 10;

/// ... but consists of at least so many where it reads few of those.
const LEAST: usize = 4 << 10;

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
    /// Pieces that are made together, in turns if they are several.
    groups: Vec<Range<u32>>,
    /// Groups that a worker takes at a time.
    units: Vec<Range<u32>>,
    /// Whether whole lines go past the caches.
    stream: bool,
}

impl Program {
    /// Cuts copies of elements of `element` bytes into pieces.
    pub(super) fn new(copies: &Copies, element: usize) -> Result<Self, Error> {
        let volume = |shape: u32| copies.shapes[shape as usize].iter().map(|l| l.count as usize).product::<usize>();
        let total: usize = copies.list.iter().map(|c| volume(c.shape) * element).sum();
        Self::of_total(copies, element, total)
    }

    /// The same for copies that are some of those into memories with so many bytes.
    pub(super) fn of_total(copies: &Copies, element: usize, total: usize) -> Result<Self, Error> {
        Self::cut(copies, element, total >= STREAMED)
    }

    /// The same; `stream`: whole lines are to go past the caches, where the processor can do that.
    pub(super) fn cut(copies: &Copies, element: usize, stream: bool) -> Result<Self, Error> {
        let mut program = Self { stream: stream && streamed_lines::can_stream(), ..Self::default() };
        let plain = memory::tried(copies.shapes.iter().map(|levels| Shape::new(levels, element)))?;
        let by_source = |shape| if program.stream { weave::by_source(shape) } else { Ok(None) };
        let woven = memory::tried(plain.iter().map(by_source))?;
        let mut numbers = HashMap::new();
        // Woven pieces come in the order of their places at the source, the others in that at the target.
        for copy in &copies.list {
            if let Some(shape) = &woven[copy.shape as usize] {
                program.add(&mut numbers, copy, element, shape, Limit::Source { reach: WOVEN, least: LEAST })?;
            }
        }
        program.pieces.sort_unstable_by_key(|p| (p.source, p.source_at, p.target, p.target_at));
        let first = program.pieces.len();
        for copy in &copies.list {
            if woven[copy.shape as usize].is_none() {
                program.add(&mut numbers, copy, element, &plain[copy.shape as usize], Limit::Bytes(PIECE))?;
            }
        }
        program.pieces[first..].sort_unstable_by_key(|p| (p.target, p.target_at, p.source, p.source_at));
        if u32::try_from(program.pieces.len()).is_err() {
            return Err(Error::argument(
                "the plan has more than 2^32 pieces: redistribute a part of the array at a time",
            ));
        }
        program.group(first)?;
        program.gather()?;
        Ok(program)
    }

    /// Adds the pieces of a copy. `numbers`: those of the shapes so far.
    fn add(
        &mut self,
        numbers: &mut HashMap<Shape, u32>,
        copy: &Copy,
        element: usize,
        shape: &Shape,
        limit: Limit,
    ) -> Result<(), Error> {
        let (source_at, target_at) =
            (copy.source_at as isize * element as isize, copy.target_at as isize * element as isize);
        shape.cut(limit, &mut |shape, source, target| {
            let shape = match numbers.get(shape) {
                Some(&known) => known,
                None => self.number(numbers, shape)?,
            };
            let (source_at, target_at) = (source_at + source, target_at + target);
            memory::room_for(&mut self.pieces, 1)?;
            self.pieces.push(Piece { source: copy.source, target: copy.target, source_at, target_at, shape });
            Ok(())
        })
    }

    /// Gives a new shape a number.
    fn number(&mut self, numbers: &mut HashMap<Shape, u32>, shape: &Shape) -> Result<u32, Error> {
        let next = self.shapes.len() as u32;
        memory::room_for(&mut self.shapes, 1)?;
        memory::room_in(numbers)?;
        self.shapes.push(shape.again()?);
        numbers.insert(shape.again()?, next);
        Ok(next)
    }

    /// Puts pieces that can be woven together, among the first so many; a group is no more than a unit.
    fn group(&mut self, woven: usize) -> Result<(), Error> {
        let shape = |piece: &Piece| &self.shapes[piece.shape as usize];
        let (mut from, mut bytes) = (0, 0);
        for k in 1..=self.pieces.len() {
            let first = &self.pieces[from];
            bytes += shape(&self.pieces[k - 1]).bytes();
            let joins = k < woven && k - from < weave::MOST && bytes < UNIT && {
                let next = &self.pieces[k];
                first.source == next.source
                    && weave::together(shape(first), shape(next), next.source_at - first.source_at)
            };
            if !joins {
                memory::room_for(&mut self.groups, 1)?;
                self.groups.push(from as u32..k as u32);
                (from, bytes) = (k, 0);
            }
        }
        Ok(())
    }

    /// Gathers groups into units.
    fn gather(&mut self) -> Result<(), Error> {
        let (mut from, mut bytes) = (0, 0);
        for (k, group) in self.groups.iter().enumerate() {
            let pieces = &self.pieces[group.start as usize..group.end as usize];
            bytes += pieces.iter().map(|p| self.shapes[p.shape as usize].bytes() + OVERHEAD).sum::<usize>();
            if bytes >= UNIT || k + 1 == self.groups.len() {
                memory::room_for(&mut self.units, 1)?;
                self.units.push(from..k as u32 + 1);
                (from, bytes) = (k as u32 + 1, 0);
            }
        }
        Ok(())
    }

    /// The sizes of the groups.
    #[cfg(test)]
    pub(super) fn groups(&self) -> Vec<usize> {
        self.groups.iter().map(ExactSizeIterator::len).collect()
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
        for group in &self.groups[start as usize..end as usize] {
            let strands = self.pieces[group.start as usize..group.end as usize].iter().map(|piece| Strand {
                shape: &self.shapes[piece.shape as usize],
                source: source[piece.source as usize].wrapping_offset(piece.source_at),
                target: target[piece.target as usize].wrapping_offset(piece.target_at),
            });
            // SAFETY: the plan's places lie inside the memories; no two pieces write one place. Only programs that may
            // stream have groups of several, which were put together as such.
            unsafe { weave::copy(strands, self.stream) };
        }
        if self.stream {
            streamed_lines::fence();
        }
    }
}
