//! A subroutine that is called: its variables, and the shapes of its arguments.

use super::super::hlfir::{HlfirOp, base};
use super::super::variables::{Declared, FortranKind, FortranVariable, attribute};
use super::made::Made;
use std::collections::BTreeSet;

/// A subroutine taken apart.
pub(super) struct Callee<'c> {
    pub name: String,
    pub declared: Declared<'c>,
    /// What stands before the last declaration, and behind it.
    pub entry: &'c [HlfirOp],
    pub body: &'c [HlfirOp],
}

/// The lower bounds and extents that a declaration of an array gives.
pub(super) fn shape_of(callee: &Callee, declare: &HlfirOp, rank: usize, made: &Made) -> (Vec<String>, Vec<String>) {
    let none = || vec!["%none".to_owned(); rank];
    let shape = declare.operands().get(1).and_then(|shape| callee.declared.definitions.get(base(shape)));
    let operands = shape.map(|shape| shape.operands()).unwrap_or_default();
    let bounds = |from: usize, step: usize| -> Vec<String> {
        operands.iter().skip(from).step_by(step).map(|one| made.own(base(one))).collect()
    };
    let extents = |from: usize, step: usize| -> Vec<String> {
        let all = operands.iter().skip(from).step_by(step);
        all.map(|one| extent_of(callee, one).map_or("%none".to_owned(), |one| made.own(one))).collect()
    };
    match shape.map_or("", |shape| shape.name.as_str()) {
        "fir.shape" if operands.len() == rank => (none(), extents(0, 1)),
        "fir.shape_shift" if operands.len() == 2 * rank => (bounds(0, 2), extents(1, 2)),
        "fir.shift" if operands.len() == rank => (bounds(0, 1), none()),
        _ => (none(), none()),
    }
}

/// An extent without the `max(..., 0)` around it; `None` for the last one of an array of assumed size.
fn extent_of<'c>(callee: &Callee<'c>, operand: &'c str) -> Option<&'c str> {
    if callee.declared.number(operand) == Some(-1) {
        return None;
    }
    let made = callee.declared.definitions.get(base(operand))?;
    let operands = made.operands();
    match operands.as_slice() {
        [_, extent, zero] if made.name == "arith.select" && callee.declared.number(zero) == Some(0) => {
            Some(base(extent))
        }
        _ => Some(base(operand)),
    }
}

/// What a subroutine names, also in bounds.
pub(super) fn used_in<'c>(callee: &Callee<'c>) -> BTreeSet<&'c str> {
    let computes = callee.entry.iter().filter(|op| op.name != "hlfir.declare");
    let all = computes.chain(callee.body).flat_map(|op| std::iter::once(op).chain(op.inner()));
    all.flat_map(|op| op.operands()).map(base).collect()
}

/// A member of a COMMON block: the block and where it stands.
pub(super) fn member_of_common(of: &Declared, declare: &HlfirOp) -> Option<(String, i64)> {
    let made = |operand: &str| of.definitions.get(base(operand)).copied();
    let convert = made(declare.operands().first()?).filter(|op| op.name == "fir.convert")?;
    let member = made(convert.operands().first()?).filter(|op| op.name == "fir.coordinate_of")?;
    let operands = member.operands();
    let [block, at] = operands.as_slice() else { return None };
    let block = made(block)?;
    let block = if block.name == "fir.convert" { made(block.operands().first()?)? } else { block };
    let symbol = block.name.strip_prefix("fir.address_of(@")?.trim_end_matches(')');
    Some((symbol.to_owned(), of.number(at)?))
}

/// Why a variable that is no argument is not taken.
pub(super) fn unknown_variable(callee: &Callee, own: &FortranVariable, kind: &FortranKind) -> (String, &'static str) {
    let name = &own.name;
    let declare = callee.declared.variables.iter().find(|(_, v)| *v == own).map(|(key, _)| *key);
    let declare = declare.and_then(|key| callee.declared.definitions.get(key).copied());
    let common = declare.and_then(|declare| member_of_common(&callee.declared, declare));
    let is_local = own.scope.contains('F') && common.is_none();
    let attributes = declare.and_then(|declare| attribute(&declare.text, "var_attrs<", '>')).unwrap_or_default();
    if attributes.split(", ").any(|word| word == "value") {
        return (format!("its argument `{name}` has the attribute `value`"), "declare the argument without `value`");
    }
    match kind {
        FortranKind::Array(_) if is_local => {
            let reason = format!(
                "its array `{name}` has extents of the run, or keeps its values between calls (SAVE, or a value in its declaration)"
            );
            (
                reason,
                "declare the array with constant extents, without SAVE and without a value, or pass it as an argument",
            )
        }
        FortranKind::Scalar { .. } if is_local => (
            format!("its variable `{name}` keeps its value between calls (SAVE, or a value in its declaration)"),
            "use a local variable without SAVE, and without a value in its declaration",
        ),
        FortranKind::Other(reason, remedy) => (format!("its variable `{name}` {reason}"), remedy),
        _ if common.is_some() => (
            format!("it uses `{name}` of COMMON, which the region's procedure does not declare as it does"),
            "declare the COMMON block in both procedures in the same way",
        ),
        _ => (
            format!("it uses `{name}`, which the region's procedure does not see"),
            "have the region's procedure `use` the module too",
        ),
    }
}
