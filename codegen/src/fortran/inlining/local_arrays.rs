//! Local arrays of subroutines whose text stands for a call. Fortran gives each call new ones, without values.

use super::super::hlfir::{HlfirOp, base};
use super::super::types::{Element, Holder};
use super::super::variables::{FortranArray, FortranKind};
use super::callee::Callee;
use std::fmt::Write;

/// The array that a declaration makes, if each call has its own: a local one of constant shape that nothing else can reach.
pub(super) fn local_array<'k>(callee: &Callee, declare: &HlfirOp, kind: &'k FortranKind) -> Option<&'k FortranArray> {
    let FortranKind::Array(array) = kind else { return None };
    // What has SAVE or a value in its declaration, and what is in COMMON, has an address of its own.
    let storage = declare.operands().first().and_then(|from| callee.declared.definitions.get(base(from)));
    let is_plain = storage.is_some_and(|op| op.name == "fir.alloca") && !declare.text.contains("fortran_attrs");
    let elements = array.extents.iter().try_fold(1, |all: i64, extent| all.checked_mul((*extent)?));
    let is_constant = array.lower.iter().all(Option::is_some) && elements.is_some_and(|all| all > 0);
    (is_plain && is_constant && array.holder == Holder::Itself && !array.target).then_some(array)
}

/// The operations that declare an array as `name`, as flang would print them; `unique` is flang's name of the variable.
pub(super) fn declaration(name: &str, unique: &str, array: &FortranArray) -> Vec<HlfirOp> {
    let put = |op: &str, result: String, text: String| HlfirOp {
        name: op.to_owned(),
        results: vec![result],
        text,
        ..HlfirOp::default()
    };
    let (mut all, mut bounds, mut extents) = (Vec::new(), Vec::new(), String::new());
    for (lower, extent) in array.lower.iter().zip(&array.extents) {
        for number in [lower, extent] {
            let constant = format!("{name}n{}", bounds.len());
            all.push(put("arith.constant", constant.clone(), format!("{} : index", number.unwrap_or_default())));
            bounds.push(constant);
        }
        let _ = write!(extents, "{}x", extent.unwrap_or_default());
    }
    let rank = array.extents.len();
    let (storage, shape) = (format!("{name}m"), format!("{name}s"));
    let kinds = vec!["index"; bounds.len()].join(", ");
    let text = format!("{} : ({kinds}) -> !fir.shapeshift<{rank}>", bounds.join(", "));
    all.push(put("fir.shape_shift", shape.clone(), text));
    let elements = format!("!fir.array<{extents}{}>", spelling(array.element));
    all.push(put("fir.alloca", storage.clone(), format!("{elements} {{uniq_name = \"{unique}\"}}")));
    let reference = format!("!fir.ref<{elements}>");
    let text = format!(
        "{storage}({shape}) {{uniq_name = \"{unique}\"}} : ({reference}, !fir.shapeshift<{rank}>) -> (!fir.box<{elements}>, {reference})"
    );
    all.push(put("hlfir.declare", name.to_owned(), text));
    all
}

/// How flang spells a type.
pub(super) fn spelling(element: Element) -> &'static str {
    match element {
        Element::I32 => "i32",
        Element::I64 => "i64",
        Element::F32 => "f32",
        Element::F64 => "f64",
        Element::C32 => "!fir.complex<4>",
        Element::C64 => "!fir.complex<8>",
        Element::Logical1 => "!fir.logical<1>",
        Element::Condition | Element::Logical4 => "!fir.logical<4>",
        Element::Logical8 => "!fir.logical<8>",
    }
}
