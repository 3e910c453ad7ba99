//! What helps in Fortran, where the analysis of the generated C refuses a region.

use crate::refusal::{Code, explanation_of};
use std::fmt::Write as _;

const OTHERS: &str = "move the loop out of the region, or have two regions";

/// What to do about a code, said of Fortran.
pub fn remedy(code: Code) -> &'static str {
    match code {
        Code::NoParallelism => {
            "write what no other iteration needs into loops of their own; a sum, minimum or maximum needs `reduction`, \
             and `independent` says that iterations do not meet"
        }
        Code::ScatteredOverlap => {
            "make the arrays that are looked up neither `pointer` nor `target`, or pass them to a subroutine that has them \
             as plain arrays"
        }
        Code::ScatteredDependence => "if no two iterations meet in one element, write `!$dvm region independent`",
        Code::NotAffine | Code::DataSubscript | Code::ChangingValue | Code::UnclearValue => {
            "subscripts and bounds are sums of counters and variables that the region leaves as they are, with whole \
             factors; else write `!$dvm region independent`, if no two iterations meet in one element"
        }
        Code::BoundWritten => "copy the bound to a variable before the region",
        Code::CounterWraps | Code::ValueWraps | Code::WideNumbers => {
            "use smaller factors, or counters of kind integer(8)"
        }
        Code::CounterAssigned | Code::CounterShared | Code::CounterLeft | Code::CounterReached => {
            "use a counter of its own for each loop, which nothing else writes"
        }
        Code::LoopHeader | Code::LoopCondition | Code::LoopStep | Code::CounterType => {
            "write `do i = first, last` with whole numbers and step 1 or -1"
        }
        Code::ReductionClause | Code::ReductionType | Code::ReductionUpdate | Code::ReductionDown => {
            "update the variable of `reduction` by `x = x + e`, `x = x*e`, `x = min(x, e)`, `x = max(x, e)` or \
             `if (e > x) x = e` only, and read it behind the region"
        }
        Code::PrivateClause | Code::PrivateReadFirst | Code::SharedByIterations => {
            "write the variable in each iteration before it is read there, or keep its values in an array"
        }
        Code::IndependentClause => "name counters of loops of the region, or none",
        Code::UnseenFunction | Code::CallNotFollowed | Code::PureConflict | Code::WrittenByFunction => {
            "compute the function's values into an array before the region"
        }
        Code::KnownArguments => "assign the function's value to a variable before the region",
        Code::TooLarge | Code::AnalysisLimit | Code::NoSchedule => {
            "mark parts of the loops, each as a region of its own"
        }
        Code::StackSpace => "make local arrays smaller, or have them allocated before the region",
        Code::Defect => "the loops run as they are; please report the region",
        _ => OTHERS,
    }
}

/// What `dvmfc --explain` prints about a code; for an empty text a list of all codes.
pub fn explanation(code: &str) -> Result<String, String> {
    let mut text = explanation_of(code)?;
    if let Ok(code) = code.parse::<Code>() {
        let _ = write!(text, "\nThat is C, as which regions of Fortran are analysed. In Fortran: {}.\n", remedy(code));
    }
    Ok(text)
}

/// Why a scalar cannot be written in a region, though it has no clause, and what to do.
pub fn of_seen_scalar(is_associated: bool) -> (&'static str, &'static str) {
    if is_associated {
        return ("an `associate` of the procedure names it", "use another variable in the region");
    }
    (
        "others can see it after the region",
        "use a local variable without SAVE, or an element of an array; or write `private` or `reduction` in the mark",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_a_remedy_of_fortran() {
        for code in [Code::NoParallelism, Code::ScatteredOverlap, Code::ScatteredDependence, Code::NotAffine] {
            assert_ne!(remedy(code), OTHERS);
        }
        assert!(explanation("DVM100").is_ok_and(|text| text.contains("In Fortran: ")));
        assert!(explanation("").is_ok_and(|text| text.contains("DVM101")) && explanation("DVM999").is_err());
    }
}
