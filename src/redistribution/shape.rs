//! What a strided copy looks like in bytes, and which kernel makes it.

use super::byte_level::ByteStep;
use super::copy_list::Level;
use super::strided;
use super::transpose;
use crate::error::Error;
use crate::memory;

/// The innermost levels of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kernel {
    /// Runs that are contiguous on both sides, longer than an element can be.
    Runs { bytes: usize, step: ByteStep },
    /// Elements of a few bytes, a step apart.
    Elements { size: usize, step: ByteStep },
    /// Contiguous at the source along `across` and at the target along `along`.
    Transpose { size: usize, across: ByteStep, along: ByteStep },
}

/// A strided copy without its places.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    pub(super) kernel: Kernel,
    /// The levels around the kernel, outermost first.
    pub(super) outer: Vec<ByteStep>,
}

/// How large a part of a copy may be, about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    /// So many bytes.
    Bytes(usize),
    /// From its first to its last byte at the source so many, or `least` bytes if those reach further. The levels lie in the
    /// order of the source.
    Source { reach: usize, least: usize },
}

impl Limit {
    /// How many steps of the outermost level a part takes, of so many bytes each.
    fn steps(self, step: ByteStep, bytes: usize) -> usize {
        match self {
            Self::Bytes(most) => most / bytes,
            // A step may read the same bytes again, or fewer further ones than it copies.
            Self::Source { reach, least } => (reach / step.source.unsigned_abs().max(bytes)).max(least.div_ceil(bytes)),
        }
        .max(1)
    }
}

/// Elements are at most this long; longer contiguous runs are copied as such.
pub(super) const LONGEST_ELEMENT: usize = 64;

/// A transposition is worth its blocks from this count on in both directions.
const TRANSPOSED: usize = 4;

/// Long runs are cut at multiples of so many bytes.
const PAGE: usize = 4096;

/// What is done with a part of a copy: its shape, and how far from the copy's it begins at the source and at the target.
pub(super) type Part<'a> = dyn FnMut(&Shape, isize, isize) -> Result<(), Error> + 'a;

/// No further step.
const ONCE: ByteStep = ByteStep { count: 1, source: 0, target: 0 };

impl Shape {
    /// The shape of normal levels for elements of `element` bytes; everything fits, since the memories do.
    pub(super) fn new(levels: &[Level], element: usize) -> Result<Self, Error> {
        let bytes = |v: i64| v as isize * element as isize;
        let step = |l: &Level| ByteStep { count: l.count as usize, source: bytes(l.source), target: bytes(l.target) };
        let mut steps = memory::list(levels.iter().map(step))?;
        let mut size = element;
        // What is contiguous on both sides is one longer element. Normal levels have at most one such.
        if let Some(k) = steps.iter().position(|s| s.source == size as isize && s.target == size as isize) {
            size *= steps.remove(k).count;
        }
        let kernel = if size > LONGEST_ELEMENT {
            Kernel::Runs { bytes: size, step: take_first(&mut steps) }
        } else {
            Self::kernel(&mut steps, size)
        };
        steps.reverse();
        Ok(Self { kernel, outer: steps })
    }

    /// The same once more.
    pub(super) fn again(&self) -> Result<Self, Error> {
        Ok(Self { kernel: self.kernel, outer: memory::list(self.outer.iter().copied())? })
    }

    fn kernel(steps: &mut Vec<ByteStep>, size: usize) -> Kernel {
        let along = steps.iter().position(|s| s.target == size as isize);
        let across = steps.iter().position(|s| s.source.unsigned_abs() == size);
        if let (Some(b), Some(a)) = (along, across)
            && a != b
            && steps[a].source > 0
            && steps[a].count >= TRANSPOSED
            && steps[b].count >= TRANSPOSED
        {
            let (across, along) = (steps[a], steps[b]);
            let mut k = 0;
            steps.retain(|_| {
                k += 1;
                k - 1 != a && k - 1 != b
            });
            return Kernel::Transpose { size, across, along };
        }
        Kernel::Elements { size, step: take_first(steps) }
    }

    /// The bytes of a copy of this shape.
    pub(super) fn bytes(&self) -> usize {
        let inner = match self.kernel {
            Kernel::Runs { bytes, step } => bytes * step.count,
            Kernel::Elements { size, step } => size * step.count,
            Kernel::Transpose { size, across, along } => size * across.count * along.count,
        };
        self.outer.iter().map(|s| s.count).product::<usize>() * inner
    }

    /// Cuts a copy into parts: calls `part` with the shape of each and the distance of its beginning from the copy's, at the
    /// source and at the target, until it fails.
    pub(super) fn cut(&self, limit: Limit, part: &mut Part) -> Result<(), Error> {
        let (step, least) = self.outermost();
        if step.count == 1 {
            return self.cut_run(limit, part);
        }
        let count = limit.steps(step, self.bytes() / step.count).next_multiple_of(least);
        if count >= step.count {
            return part(self, 0, 0);
        }
        for at in (0..step.count).step_by(count) {
            let (source, target) = (at as isize * step.source, at as isize * step.target);
            let shorter = self.with_outermost(ByteStep { count: count.min(step.count - at), ..step })?;
            shorter.cut(limit, &mut |shape, s, t| part(shape, source + s, target + t))?;
        }
        Ok(())
    }

    /// Cuts one long run at multiples of the page size.
    fn cut_run(&self, limit: Limit, part: &mut Part) -> Result<(), Error> {
        let (Kernel::Runs { bytes, .. }, Limit::Bytes(most)) = (self.kernel, limit) else { return part(self, 0, 0) };
        let piece = most.next_multiple_of(PAGE);
        for at in (0..bytes).step_by(piece) {
            let kernel = Kernel::Runs { bytes: piece.min(bytes - at), step: ONCE };
            part(&Self { kernel, outer: Vec::new() }, at as isize, at as isize)?;
        }
        Ok(())
    }

    /// The level that parts are cut along, and of how many of its steps a part consists at least.
    fn outermost(&self) -> (ByteStep, usize) {
        match (self.outer.first(), self.kernel) {
            (Some(&step), _) | (None, Kernel::Runs { step, .. } | Kernel::Elements { step, .. }) => (step, 1),
            (None, Kernel::Transpose { across, along, .. }) => {
                (if across.count >= along.count { across } else { along }, transpose::BLOCK)
            }
        }
    }

    /// The same with another step count of that level.
    fn with_outermost(&self, shorter: ByteStep) -> Result<Self, Error> {
        let mut next = self.again()?;
        match (next.outer.first_mut(), &mut next.kernel) {
            (Some(_), _) if shorter.count == 1 => drop(next.outer.remove(0)),
            (Some(first), _) => *first = shorter,
            (None, Kernel::Runs { step, .. } | Kernel::Elements { step, .. }) => {
                *step = if shorter.count == 1 { ONCE } else { shorter };
            }
            (None, Kernel::Transpose { across, along, .. }) => {
                *(if across.count >= along.count { across } else { along }) = shorter;
            }
        }
        Ok(next)
    }

    /// Makes a copy of this shape. `stream`: whole lines may go past the caches; a fence has to follow.
    ///
    /// # Safety
    /// All places of the copy that begins at `source` and `target` lie in memory that may be read and written, nobody
    /// else writes the source or touches the target's places meanwhile, and the two do not overlap.
    #[allow(unsafe_code, reason = "walks over memory of other owners")]
    pub(super) unsafe fn copy(&self, source: *const u8, target: *mut u8, stream: bool) {
        walk(&self.outer, (source, target), &mut |source, target| {
            // SAFETY: the kernels touch the places of the levels that they were given, which are the copy's, by this
            // function's contract.
            unsafe {
                match self.kernel {
                    Kernel::Runs { bytes, step } => strided::runs(bytes, step, source, target, stream),
                    Kernel::Elements { size, step } => strided::elements(size, step, source, target),
                    Kernel::Transpose { size, across, along } => {
                        transpose::plane(size, across, along, source, target, stream);
                    }
                }
            }
        });
    }
}

/// Visits the places of all steps of these levels, the outermost first.
fn walk(
    levels: &[ByteStep],
    (mut source, mut target): (*const u8, *mut u8),
    visit: &mut impl FnMut(*const u8, *mut u8),
) {
    let Some((step, rest)) = levels.split_first() else { return visit(source, target) };
    for _ in 0..step.count {
        walk(rest, (source, target), visit);
        (source, target) = (source.wrapping_offset(step.source), target.wrapping_offset(step.target));
    }
}

fn take_first(steps: &mut Vec<ByteStep>) -> ByteStep {
    if steps.is_empty() { ONCE } else { steps.remove(0) }
}
