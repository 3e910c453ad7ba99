//! What the text of a subroutine writes.

use super::super::hlfir::{BIND, HOLD, HlfirOp, VIEW, base};
use super::super::types::Element;
use std::collections::{BTreeSet, HashMap};

/// What operations write.
#[derive(Default)]
pub(super) struct WrittenNames {
    /// Whatever an assignment or a loop names.
    pub names: BTreeSet<String>,
    /// What an assignment writes, or a part of it.
    pub arrays: BTreeSet<String>,
    /// Types of elements that are written.
    elements: BTreeSet<Element>,
    /// Elements of a type that is not known are written.
    unknown: bool,
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
                    self.note_elements(op.types());
                }
            }
        }
        // A `where` writes what one of its regions names last.
        let wheres = all.iter().filter(|op| op.name == "hlfir.region_assign");
        for end in wheres.filter_map(|op| op.regions.get(1)?.last()) {
            self.note_elements(end.types());
            for to in end.operands() {
                self.arrays.insert(parts.get(base(to)).cloned().unwrap_or_else(|| base(to).to_owned()));
            }
        }
    }

    /// Notes the types of elements that a text of types names.
    fn note_elements(&mut self, types: &str) {
        let named = Element::NUMBERS.into_iter().chain([Element::Condition]);
        let named: Vec<Element> =
            named.filter(|element| spellings(*element).iter().any(|s| types.contains(s))).collect();
        self.unknown |= named.is_empty();
        self.elements.extend(named);
    }

    /// Whether an element of this type, as flang spells it, may be written.
    pub fn may_be(&self, spelling: &str) -> bool {
        match Element::of(spelling) {
            Some(element) => self.unknown || self.elements.contains(&element),
            None => self.unknown || !self.elements.is_empty(),
        }
    }
}

/// How flang spells a type.
fn spellings(element: Element) -> &'static [&'static str] {
    match element {
        Element::I32 => &["i32"],
        Element::I64 => &["i64", "index"],
        Element::F32 => &["f32"],
        Element::F64 => &["f64"],
        Element::C32 => &["!fir.complex<4>", "complex<f32>"],
        Element::C64 => &["!fir.complex<8>", "complex<f64>"],
        Element::Condition | Element::Logical1 | Element::Logical4 | Element::Logical8 => &["i1", "!fir.logical<"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_written_by_their_type_or_any() {
        let mut written = WrittenNames::default();
        assert!(!written.may_be("f64") && !written.may_be("!fir.char<1>"));
        written.note_elements("f64, !fir.ref<f64>");
        assert!(written.may_be("f64") && !written.may_be("f32") && !written.may_be("!fir.complex<8>"));
        assert!(written.may_be("!fir.char<1>"));
        written.note_elements("!fir.complex<4>, !fir.box<!fir.array<?x!fir.complex<4>>>");
        assert!(written.may_be("!fir.complex<4>") && !written.may_be("!fir.complex<8>"));
        written.note_elements("!fir.char<1>, !fir.ref<!fir.char<1>>");
        assert!(written.may_be("f32"));
    }
}
