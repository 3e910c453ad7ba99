//! The replacement of a region.

use crate::Refusal;
use crate::model::Region;
use crate::remarks::PhaseRemark;
use serde::{Deserialize, Serialize};

/// C text that the back end made from a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    /// Functions to insert before the enclosing function.
    pub file_scope: String,
    /// Code that replaces the region; contains the original as fallback.
    pub call: String,
    /// What became of it, if that was asked for.
    pub phases: Vec<PhaseRemark>,
    /// Why it does not run on several processes, though the pragma asks for that.
    pub in_own_process: Option<Refusal>,
}

/// A back end turns a model and the region's own text into C text, or refuses.
pub type Generate<'g> = &'g dyn Fn(&Region, &str) -> Result<Replacement, Refusal>;

/// The real back end.
pub fn back_end(region: &Region, original: &str) -> Result<Replacement, Refusal> {
    crate::pipeline::generate(region, original).map(|g| Replacement {
        file_scope: g.file_scope,
        call: g.call,
        phases: Vec::new(),
        in_own_process: g.in_own_process,
    })
}
