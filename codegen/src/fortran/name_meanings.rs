//! What a name means where a statement stands.

use std::ops::RangeInclusive;

/// Whose a name is, if constructs around a statement have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameMeaning {
    /// It is that of an `associate`, a `select type` or a `select rank`.
    OfConstruct,
    /// A `block` may declare it, on these lines.
    OfBlock(Vec<RangeInclusive<u32>>),
}
