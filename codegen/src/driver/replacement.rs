//! What stands in a region's place.

use crate::Refusal;
use crate::model::Region;
use serde::{Deserialize, Serialize};

/// C text that the back end made of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Functions to stand before the enclosing function.
    pub file_scope: String,
    /// What stands in place of the region; holds the original as fallback.
    pub call: String,
}

/// The back end: a model and the region's own text in; out comes C text, or a refusal.
pub type Generate<'g> = &'g dyn Fn(&Region, &str) -> Result<Replacement, Refusal>;

/// The real back end.
pub fn back_end(region: &Region, original: &str) -> Result<Replacement, Refusal> {
    crate::pipeline::generate(region, original).map(|g| Replacement { file_scope: g.file_scope, call: g.call })
}
