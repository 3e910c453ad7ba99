//! What repeats: test sets of a lattice, progressions, folded dimensions, strided runs.

pub mod element_axis;
pub mod fold;
pub mod graver;
pub mod progressions;
pub mod runs;
pub mod unfold;
