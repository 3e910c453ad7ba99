//! What a graph consists of.

use super::callbacks::Callbacks;
use super::space::Space;

/// A graph's checked parts.
pub(crate) struct GraphParts {
    pub(crate) name: String,
    pub(crate) space: Space,
    pub(crate) carried: Vec<bool>,
    pub(crate) callbacks: Callbacks,
}
