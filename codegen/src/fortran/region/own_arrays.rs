//! Arrays of which each iteration has its own: variables of the function of C, which nothing else sees.

use super::region_place::RegionPlace;
use crate::fortran::clauses::FortranClauses;
use crate::fortran::element_uses::is_written_elsewhere;
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::types::Holder;
use crate::fortran::variables::{Declared, FortranArray, FortranKind, is_of_call};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// An array of which each iteration has its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnArray {
    /// What it is.
    pub array: FortranArray,
    /// The clause `private` names it. Else only the region does, and C must find that each iteration writes what it reads.
    pub is_asserted: bool,
}

/// Elements up to which C looks for what each iteration writes.
const SMALL: i64 = 64;

/// The arrays that `ops` of a region may have for themselves, by their names.
pub(super) fn own_arrays(
    place: &RegionPlace,
    ops: &[&HlfirOp],
    declared: &Declared,
    clauses: &FortranClauses,
) -> BTreeMap<String, OwnArray> {
    let whole = OnceCell::new();
    let mut all = BTreeMap::new();
    for (key, variable) in &declared.variables {
        let FortranKind::Array(array) = &variable.kind else { continue };
        let Some(elements) = elements_of(array).filter(|_| !is_of_call(&variable.name)) else { continue };
        // What is an argument is the caller's to read.
        let is_asserted = clauses.private.contains(&variable.name) && !is_argument(declared, key);
        let is_free = || {
            is_only_in(place.function, ops, key)
                || is_written_elsewhere(whole.get_or_init(place.others), key, array, place.lines)
        };
        if is_asserted || elements <= SMALL && is_local(declared, key) && is_free() {
            all.insert(variable.name.clone(), OwnArray { array: array.clone(), is_asserted });
        }
    }
    all
}

/// The elements of an array of constant shape that no pointer reaches.
fn elements_of(array: &FortranArray) -> Option<i64> {
    let is_plain = array.holder == Holder::Itself
        && !array.target
        && array.values.is_none()
        && array.lower.iter().all(Option::is_some);
    let elements = array.extents.iter().try_fold(1, |all: i64, extent| all.checked_mul((*extent)?));
    elements.filter(|elements| is_plain && *elements > 0)
}

fn is_argument(declared: &Declared, key: &str) -> bool {
    let from = declared.definitions.get(key).and_then(|declare| declare.operands().first().copied());
    from.is_none_or(|from| from.starts_with("%arg"))
}

/// Whether a variable is a local one of the procedure, without attributes: not of COMMON, and without SAVE.
fn is_local(declared: &Declared, key: &str) -> bool {
    let Some(declare) = declared.definitions.get(key) else { return false };
    let storage = declare.operands().first().and_then(|from| declared.definitions.get(base(from)));
    storage.is_some_and(|op| op.name == "fir.alloca") && !declare.text.contains("fortran_attrs")
}

/// Whether only `ops` name a variable: no loops elsewhere, no call, no descriptor, no procedure inside of this one.
fn is_only_in(function: &HlfirOp, ops: &[&HlfirOp], key: &str) -> bool {
    let names = |op: &&HlfirOp| op.operands().iter().any(|operand| base(operand) == key);
    let inside = ops.iter().flat_map(|op| std::iter::once(*op).chain(op.inner())).filter(names).count();
    inside == function.inner().into_iter().filter(names).count()
}
