//! Where a region stands.

use crate::fortran::hlfir::HlfirOp;

/// Where a region stands.
pub struct RegionPlace<'r> {
    /// The procedure.
    pub function: &'r HlfirOp,
    /// The first and last line of the loops.
    pub lines: (u32, u32),
    /// The line of the mark.
    pub mark: u32,
    /// The procedure with the text of subroutines in the place of calls elsewhere, where that is possible.
    pub others: &'r dyn Fn() -> HlfirOp,
}
