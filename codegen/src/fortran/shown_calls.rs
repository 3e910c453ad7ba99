//! Functions and powers that a text has and flang does not show: statement functions, which flang writes out, and what it computes
//! because all operands are constants for it. What it makes of them may have other last bits than what gfortran makes.

use super::function_names::FunctionNames;
use super::hlfir::HlfirOp;
use super::numeric_functions::numeric_function;
use super::refused::FortranRefusal;
use super::statements::FortranStatement;
use super::variables::attribute;
use super::words::tokens;
use std::collections::BTreeMap;

/// What statements have of which flang must show as much.
pub struct Expected<'a> {
    /// Whether a name is that of a function.
    pub is_function: &'a dyn Fn(&str) -> bool,
    /// The powers of a statement.
    pub powers: &'a dyn Fn(&FortranStatement) -> usize,
    /// Whether a name is that of a complex constant.
    pub is_complex: &'a dyn Fn(&str) -> bool,
}

/// Refuses statements of `procedure` that name a function, or a power, more often than flang shows them on their lines.
pub fn check(
    statements: &[&FortranStatement],
    procedure: &HlfirOp,
    functions: &FunctionNames,
    expected: &Expected,
) -> Result<(), FortranRefusal> {
    for together in on_lines_of_their_own(statements) {
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for statement in together {
            for name in referenced(&statement.text).into_iter().filter(|name| (expected.is_function)(name)) {
                *named.entry(name).or_default() += 1;
            }
        }
        let powers: usize = together.iter().map(|statement| (expected.powers)(statement)).sum();
        let products: usize = together.iter().map(|statement| products(&statement.text, expected.is_complex)).sum();
        if named.is_empty() && powers == 0 && products == 0 {
            continue;
        }
        let lines = together[0].first..=together.iter().map(|s| s.last).max().unwrap_or_default();
        let inner = procedure.inner();
        let shown = || inner.iter().filter(|op| op.is_own && lines.contains(&op.place.0));
        if shown().filter(|op| is_product(op)).count() < products {
            let reason = "flang shows fewer products and quotients than stand here, and complex constants: compilers round theirs differently";
            let remedy = "assign the product or quotient of constants to a variable before the region";
            return Err(FortranRefusal::new(together[0].first, reason, remedy));
        }
        if shown().filter(|op| is_power(op)).count() < powers {
            let reason = "flang shows no power here: it has computed one whose operands are constants for it";
            let remedy = "assign the power to a variable before the region";
            return Err(FortranRefusal::new(together[0].first, reason, remedy));
        }
        for (name, count) in named {
            if shown().filter(|op| calls(op, name, functions)).count() < count {
                let reason = format!(
                    "flang shows no call of `{name}` here: it is a statement function, or an intrinsic function of constants"
                );
                let remedy =
                    "write a function of the module for it; or assign its value to a variable before the region";
                return Err(FortranRefusal::new(together[0].first, &reason, remedy));
            }
        }
    }
    Ok(())
}

/// Statements in groups that share no line.
fn on_lines_of_their_own<'s, 't>(statements: &'s [&'t FortranStatement]) -> Vec<&'s [&'t FortranStatement]> {
    statements.chunk_by(|one, next| next.first <= one.last).collect()
}

/// Names before parentheses that are neither components nor subroutines.
fn referenced(text: &str) -> Vec<&str> {
    let all = tokens(text);
    let is_named = |at: &usize| {
        let before = at.checked_sub(1).map(|before| all[before]);
        all.get(at + 1) == Some(&"(") && before != Some("%") && before != Some("call")
    };
    (0..all.len()).filter(is_named).map(|at| all[at]).collect()
}

/// Products and quotients of a statement that has complex constants, or makes complex numbers of what may be constants.
fn products(text: &str, is_complex: &dyn Fn(&str) -> bool) -> usize {
    let all = tokens(text);
    let is_number = |token: &str| token.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let unsigned = |from: usize| from + usize::from(all.get(from).is_some_and(|token| ["+", "-"].contains(token)));
    // `(1.0, -2.0)`
    let is_literal = |open: usize| {
        let before = open.checked_sub(1).and_then(|before| all[before].chars().next());
        let first = unsigned(open + 1);
        let second = unsigned(first + 2);
        !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == ')')
            && all.get(first + 1) == Some(&",")
            && all.get(second + 1) == Some(&")")
            && is_number(all[first])
            && is_number(all[second])
    };
    let makes =
        |at: usize| ["cmplx", "dcmplx"].contains(&all[at]) || is_complex(all[at]) || all[at] == "(" && is_literal(at);
    if !(0..all.len()).any(makes) {
        return 0;
    }
    let is_star = |at: usize| all.get(at) == Some(&"*");
    let single = |at: usize| is_star(at) && !is_star(at + 1) && !(at > 0 && is_star(at - 1));
    let divides = |at: usize| all[at] == "/" && all.get(at + 1) != Some(&"=");
    (0..all.len()).filter(|at| single(*at) || divides(*at)).count()
}

fn is_product(op: &HlfirOp) -> bool {
    const NAMES: [&str; 8] =
        ["arith.mulf", "arith.muli", "arith.divf", "arith.divsi", "fir.mulc", "fir.divc", "complex.mul", "complex.div"];
    let symbol = || attribute(&op.text, "@", '(').unwrap_or_default();
    NAMES.contains(&op.name.as_str()) || op.name.starts_with("fir.call") && ["__divdc3", "__divsc3"].contains(&symbol())
}

fn is_power(op: &HlfirOp) -> bool {
    let symbol = || attribute(&op.text, "@", '(').unwrap_or_default();
    ["math.fpowi", "math.ipowi", "math.powf"].contains(&op.name.as_str())
        || op.name.starts_with("fir.call") && symbol().to_ascii_lowercase().contains("pow")
}

/// Whether an operation is a call of what `name` may mean.
fn calls(op: &HlfirOp, name: &str, functions: &FunctionNames) -> bool {
    if numeric_function(op).is_some_and(|function| function.names.contains(&name)) {
        return true;
    }
    // A call of a dummy procedure has no name; it is refused elsewhere.
    let symbol = || attribute(&op.text, "@", '(');
    op.name.starts_with("fir.call")
        && symbol().is_none_or(|symbol| functions.means(&[name.to_owned()], functions.name_of(symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fortran::statements::{SourceForm, statements};

    fn call(symbol: &str, line: u32) -> HlfirOp {
        let text = format!("@{symbol}(%1) : (!fir.ref<f64>) -> f64");
        HlfirOp { name: "fir.call".to_owned(), text, place: (line, 1), is_own: true, ..HlfirOp::default() }
    }

    fn refused(text: &str, ops: Vec<HlfirOp>) -> bool {
        let functions =
            FunctionNames::read(&statements("interface g\nmodule procedure f\nend interface\n", SourceForm::Free));
        let all = statements(text, SourceForm::Free);
        let procedure = HlfirOp { regions: vec![ops], ..HlfirOp::default() };
        let expected = Expected {
            is_function: &|name| ["f", "g"].contains(&name),
            powers: &|statement| statement.text.matches("**").count(),
            is_complex: &|name| name == "q",
        };
        check(&all.iter().collect::<Vec<_>>(), &procedure, &functions, &expected).is_err()
    }

    #[test]
    fn products_of_complex_constants_are_counted() {
        let count = |text: &str| products(text, &|name| name == "q");
        assert_eq!(count("x = x*y/2*a(1,2)"), 0);
        assert_eq!(count("x = x*(1.0, -2.)/3**2"), 2);
        assert_eq!(count("if (x /= q) x = 2*x"), 1);
        assert_eq!(count("x = cmplx(y*2, z)"), 1);
        assert!(refused("x = x*q/(2 + q)\n", vec![HlfirOp { name: "fir.mulc".to_owned(), ..call("", 1) }]));
    }

    #[test]
    fn calls_are_counted_on_the_lines_of_statements() {
        assert!(refused("x = f(x)\n", vec![]));
        assert!(!refused("x = f(x) + a(f)\n", vec![call("_QMmPf", 1)]));
        assert!(refused("x = f(x) + f(y)\n", vec![call("_QMmPf", 1)]));
        assert!(refused("x = f(x)\ny = 1\n", vec![call("_QMmPf", 2)]));
        assert!(!refused("x = f( &\n x) + f &\n (x)\n", vec![call("_QMmPf", 2), call("_QPf", 3)]));
        assert!(!refused("x = g(x); y = f(x)\n", vec![call("_QPf", 1), call("_QPf", 1)]));
        assert!(refused("x = f(0.1); y = f(x)\n", vec![call("_QPf", 1)]));
        assert!(!refused("x = y%f(x)\ncall g(x)\n", vec![]));
        let power = HlfirOp { name: "math.fpowi".to_owned(), text: String::new(), ..call("", 1) };
        assert!(refused("x = x**2 + 0.8**size(t)\n", vec![power.clone()]));
        assert!(!refused("x = x**2\n", vec![power]));
    }
}
