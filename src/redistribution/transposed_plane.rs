//! A plane of elements that is transposed.

use super::byte_level::ByteStep;

/// A plane: `across` is contiguous at the source, `along` at the target.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub(super) across: ByteStep,
    pub(super) along: ByteStep,
    pub(super) source: *const u8,
    pub(super) target: *mut u8,
}

impl Plane {
    /// The part that begins at the a-th step across and the b-th along.
    pub(super) fn part(&self, (a, b): (usize, usize), (wide, long): (usize, usize)) -> Self {
        let by = |of: fn(&ByteStep) -> isize| a as isize * of(&self.across) + b as isize * of(&self.along);
        Self {
            across: ByteStep { count: wide, ..self.across },
            along: ByteStep { count: long, ..self.along },
            source: self.source.wrapping_offset(by(|s| s.source)),
            target: self.target.wrapping_offset(by(|s| s.target)),
        }
    }

    /// The bytes of element (a, b) at both sides.
    pub(super) fn at(&self, a: usize, b: usize) -> (*const u8, *mut u8) {
        let part = self.part((a, b), (1, 1));
        (part.source, part.target)
    }
}
