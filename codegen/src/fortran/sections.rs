//! Sections of arrays, the elements that statements name, and whether two places may be the same memory.

use super::places::{Need, Place, ReachedKind};
use super::sums::WholeSum;
use super::values::HlfirValue;
use super::variables::FortranArray;

/// A section, or a whole array.
#[derive(Debug, Clone)]
pub struct Section {
    /// The array.
    pub place: Place,
    /// Its shape.
    pub array: FortranArray,
    /// Its subscripts.
    pub dimensions: Vec<SectionDimension>,
    /// The statement that names it.
    pub statement: usize,
}

/// A dimension of a section.
#[derive(Debug, Clone)]
pub enum SectionDimension {
    /// A subscript.
    One(HlfirValue),
    /// A range.
    Range {
        /// The first subscript.
        first: WholeSum,
        /// The last one, as C.
        last: String,
        /// The step.
        step: i64,
    },
}

/// An element that a statement names.
#[derive(Debug, Clone)]
pub struct NamedElement {
    /// The statement.
    pub statement: usize,
    /// The array, in C.
    pub name: String,
    /// The array.
    pub place: Place,
    /// Its subscripts, where they are sums.
    pub subscripts: Vec<Option<WholeSum>>,
}

/// Whether two places with different texts may be the same memory. Arguments that are neither pointers nor targets are not, by
/// Fortran's rules, if one of them is written.
pub fn may_overlap(a: &Place, b: &Place) -> bool {
    let is_pointer = |place: &Place| {
        place.needs.iter().any(|need| matches!(need, Need::True(text) if text.starts_with("associated(")))
    };
    let is_target = |place: &Place| match &place.kind {
        ReachedKind::Numbers(array) => array.target,
        // Numbers that are read as what they are when the loops run.
        _ => true,
    };
    match (is_pointer(a), is_pointer(b)) {
        (true, true) => true,
        (true, false) => is_target(b),
        (false, true) => is_target(a),
        (false, false) if !a.is_variable && !b.is_variable => a.name == b.name,
        (false, false) => is_target(a) && is_target(b),
    }
}
