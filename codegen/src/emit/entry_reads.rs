//! Prints what a region reads at its entry.

use super::{generated_names::declare, overlap_check::sequential};
use crate::model::{Entry, Region};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The name of the variable that tells whether the tiles may run, or have run.
pub const ENTERED: &str = "dvm__entered";

/// Declarations of the variables that keep what is read, and of one that is true after all reads.
pub fn declarations(region: &Region) -> String {
    let mut text = String::new();
    let (mut steps, mut declared) = (Vec::new(), BTreeSet::new());
    for entry in &region.entry {
        match entry {
            Entry::Read { name, ctype, guard, expression, .. } => {
                if declared.insert(name) {
                    let _ = writeln!(text, "  {} = 0;", declare(ctype, name));
                }
                let read = format!("(({name} = {expression}), 1)");
                steps.push(if guard.is_empty() { read } else { format!("(!({guard}) || {read})") });
            }
            Entry::Condition(condition) => {
                let reason = "the loops may not read at all what the tiles need at entry";
                steps.push(format!("({condition} || !{})", sequential(region, reason)));
            }
        }
    }
    let _ = writeln!(text, "  int {ENTERED} = {};", steps.join(" &&\n      "));
    text
}
