//! What is said of a call whose arguments are no numbers: flang prepares them before the call, by operations that say
//! nothing to the user.

use super::{HlfirOp, base};
use crate::fortran::refused::FortranRefusal;
use crate::fortran::types::Element;
use crate::fortran::variables::attribute;
use std::collections::BTreeSet;

const NUMBERS: &str = "pass single elements or variables, or write the function's statements into the loop";

const KIND: &str = "take numbers of 4 or 8 bytes, or compute it before the region";

/// Operations whose results are the argument under another name.
const PREPARES_ARGUMENTS: [&str; 10] = [
    "fir.embox",
    "fir.rebox",
    "fir.convert",
    "fir.box_addr",
    "fir.load",
    "hlfir.designate",
    "hlfir.associate",
    "hlfir.copy_in",
    "hlfir.as_expr",
    "hlfir.elemental",
];

/// The refusal of the call for which the first of `ops` prepares an argument, if there is such a call.
pub(super) fn refused_call(ops: &[&HlfirOp]) -> Option<FortranRefusal> {
    let (first, rest) = ops.split_first()?;
    let mut made: BTreeSet<&str> = first.results.iter().map(String::as_str).collect();
    if first.name.starts_with("fir.call") {
        return of_arguments(first);
    }
    for op in rest {
        if !op.operands().iter().any(|operand| made.contains(base(operand))) {
            continue;
        }
        if op.name.starts_with("fir.call") {
            return of_arguments(op);
        }
        // The argument goes on under other names, until something is made of it that is no argument.
        if PREPARES_ARGUMENTS.contains(&op.name.as_str()) {
            made.extend(op.results.iter().map(String::as_str));
        }
    }
    None
}

/// The refusal of a call that has an argument which is no number.
pub(super) fn of_arguments(call: &HlfirOp) -> Option<FortranRefusal> {
    let symbol = attribute(&call.text, "@", '(').unwrap_or_default();
    let refused = |reason: String, remedy: &str| Some(FortranRefusal::new(call.place.0, &reason, remedy));
    if symbol.starts_with("_FortranAModulo") {
        return refused("`modulo` of real numbers of another kind".to_owned(), KIND);
    }
    if symbol.starts_with("_FortranAMod") {
        return refused("`mod` of real numbers of another kind".to_owned(), KIND);
    }
    if symbol.starts_with("_FortranA") {
        return refused("a function of Fortran's library that is not taken".to_owned(), "compute it before the region");
    }
    let called = symbol.rsplit_once('P').map_or(symbol, |(_, name)| name);
    let types = argument_types(call.types());
    if types.iter().any(|spelling| spelling.starts_with("!fir.ref<tuple<")) {
        let reason = format!("a call of `{called}`, which uses variables of the procedure around it");
        return refused(reason, "write its statements into the loop, or pass it what it uses as arguments");
    }
    let (what, remedy) = types.into_iter().find_map(no_number)?;
    refused(format!("{what} as an argument of `{called}`: only numbers are passed to functions"), remedy)
}

/// The types of the arguments in `(a, b) -> c`.
pub(super) fn argument_types(types: &str) -> Vec<&str> {
    let inside = types.rsplit_once(") -> ").map_or("", |(inside, _)| inside).trim_start_matches('(');
    let (mut depth, mut begin, mut all) = (0_i32, 0, Vec::new());
    for (at, c) in inside.char_indices() {
        depth += i32::from("<({".contains(c)) - i32::from(">)}".contains(c));
        if c == ',' && depth == 0 {
            all.push(inside[begin..at].trim());
            begin = at + 1;
        }
    }
    all.push(inside[begin..].trim());
    all
}

/// What an argument of a type is, and what to do, if it is no number.
fn no_number(spelling: &str) -> Option<(&'static str, &'static str)> {
    let bare = |spelling: &str| {
        let mut bare = spelling.to_owned();
        for wrapper in ["!fir.ref<", "!fir.box<", "!fir.class<", "!fir.heap<", "!fir.ptr<"] {
            bare = bare.replacen(wrapper, "", 1);
        }
        bare
    };
    let kind = bare(spelling);
    let is = |begin: &str| kind.starts_with(begin);
    if is("!fir.array<") {
        Some(("a section or a whole array", NUMBERS))
    } else if is("!fir.type<") {
        Some(("an object of a derived type", "pass its components, which are numbers"))
    } else if is("!fir.boxchar") || is("!fir.char") {
        Some(("characters", "keep statements about characters out of the region"))
    } else if is("!fir.logical") || is("i1") && !is("i16") && !is("i128") {
        Some(("a truth value", "pass a number"))
    } else if is("complex") || is("!fir.complex") {
        let is_known = kind.split_once('>').and_then(|(kind, _)| Element::of(&format!("{kind}>"))).is_some();
        (!is_known).then_some(("a complex number of another kind", "pass its parts, which are real"))
    } else if is("!fir.boxproc") || is("(") {
        Some(("a procedure", "call it itself"))
    } else if spelling.contains("!fir.box<") {
        Some(("a pointer or allocatable", "copy its value to a variable"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_are_no_numbers_are_named() {
        let types = argument_types("(!fir.ref<f64>, !fir.box<!fir.type<_QMmTt{n:i32,x:f64}>>, i64) -> f64");
        assert_eq!(types, ["!fir.ref<f64>", "!fir.box<!fir.type<_QMmTt{n:i32,x:f64}>>", "i64"]);
        let named = |spelling: &str| no_number(spelling).map(|(what, _)| what);
        assert_eq!(types.into_iter().map(named).collect::<Vec<_>>(), [None, Some("an object of a derived type"), None]);
        assert_eq!(named("!fir.box<!fir.array<?xf64>>"), Some("a section or a whole array"));
        assert_eq!(named("!fir.ref<!fir.box<!fir.heap<f64>>>"), Some("a pointer or allocatable"));
        assert_eq!((named("!fir.ref<!fir.complex<8>>"), named("complex<f32>")), (None, None));
        assert_eq!(named("!fir.ref<!fir.complex<16>>"), Some("a complex number of another kind"));
        assert_eq!((named("!fir.ref<i16>"), named("!fir.ref<i32>")), (None, None));
    }
}
