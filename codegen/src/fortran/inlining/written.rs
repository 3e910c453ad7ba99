//! What the text of a subroutine writes.

use super::super::hlfir::{BIND, HOLD, HlfirOp, VIEW, base};
use std::collections::{BTreeSet, HashMap};

/// What operations write.
#[derive(Default)]
pub(super) struct WrittenNames {
    /// Whatever an assignment or a loop names.
    pub names: BTreeSet<String>,
    /// What an assignment writes, or a part of it.
    pub arrays: BTreeSet<String>,
    /// Types of elements that are written.
    pub elements: BTreeSet<&'static str>,
}

impl WrittenNames {
    /// Takes operations; `is_variable` says whether a name is that of a scalar.
    pub fn gather(&mut self, ops: &[HlfirOp], is_variable: impl Fn(&str) -> bool) {
        let mut parts: HashMap<&str, String> = HashMap::new();
        let all: Vec<&HlfirOp> = ops.iter().flat_map(|op| std::iter::once(op).chain(op.inner())).collect();
        for op in &all {
            let operands = op.operands();
            let part = ["hlfir.designate", "fir.load", BIND, HOLD, VIEW].contains(&op.name.as_str());
            if let (true, Some(of), Some(result)) = (part, operands.first(), op.results.first()) {
                let of = parts.get(base(of)).cloned().unwrap_or_else(|| base(of).to_owned());
                parts.insert(result.as_str(), of);
            }
            let assigns = ["hlfir.assign", "fir.store"].contains(&op.name.as_str());
            if let (true, Some(to)) = (assigns, operands.get(1)) {
                let to = base(to);
                self.names.insert(to.to_owned());
                self.arrays.insert(parts.get(to).cloned().unwrap_or_else(|| to.to_owned()));
                if !is_variable(to) {
                    self.elements.extend(numbers_in(op.types()));
                }
            }
        }
        // A `where` writes what one of its regions names last.
        let wheres = all.iter().filter(|op| op.name == "hlfir.region_assign");
        for end in wheres.filter_map(|op| op.regions.get(1)?.last()) {
            self.elements.extend(numbers_in(end.types()));
            for to in end.operands() {
                self.arrays.insert(parts.get(base(to)).cloned().unwrap_or_else(|| base(to).to_owned()));
            }
        }
    }
}

/// The types of numbers that a text of types names.
fn numbers_in(types: &str) -> impl Iterator<Item = &'static str> {
    ["i32", "i64", "f32", "f64"].into_iter().filter(|name| types.contains(name))
}
