//! Prints the conditions that a region checks at entry.

use super::overlap_check::sequential;
use crate::model::Region;

/// C operands, each followed by `||`: true if some condition fails, after a note which one. They stand in the enclosing
/// function, after the context.
pub fn failing(region: &Region) -> String {
    let serial = region.options.serial.as_ref().map(|serial| format!("({serial}) || ")).unwrap_or_default();
    let checks = region
        .conditions
        .iter()
        .map(|condition| format!("(({}) && {}) ||\n      ", condition.fails, sequential(region, &condition.reason)));
    serial + &checks.collect::<String>()
}
