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
        // C90 has no `long long`: pedantic compilers would say so at the program's own line.
        .map(|condition| {
            let told = sequential(region, &condition.reason);
            format!("(__extension__({}) && {told}) ||\n      ", condition.fails)
        });
    serial + &checks.collect::<String>()
}
