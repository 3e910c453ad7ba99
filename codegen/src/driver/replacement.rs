//! What stands in a region's place.

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

/// The back end: a model and the region's own text in; out comes C text, or a reason and a remedy.
pub type Generate<'g> = &'g dyn Fn(&Region, &str) -> Result<Replacement, (String, String)>;

/// The real back end.
pub fn back_end(region: &Region, original: &str) -> Result<Replacement, (String, String)> {
    crate::pipeline::generate(region, original)
        .map(|g| Replacement { file_scope: g.file_scope, call: g.call })
        .map_err(|e| (e.reason, e.remedy))
}
