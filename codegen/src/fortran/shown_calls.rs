//! Functions and powers that a text has and flang does not show: statement functions, which flang writes out, and what it computes
//! because all operands are constants for it. What it makes of them may have other last bits than what gfortran makes.

use super::constant_powers;
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
    /// Whether a name is that of a function in the statement at a line.
    pub is_function: &'a dyn Fn(u32, &str) -> bool,
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
            for name in
                referenced(&statement.text).into_iter().filter(|name| (expected.is_function)(statement.first, name))
            {
                *named.entry(name).or_default() += 1;
            }
        }
        let powers: usize = together.iter().map(|statement| (expected.powers)(statement)).sum();
        let made: Vec<Made> = together.iter().map(|s| Made::of(s, expected.is_complex)).collect();
        let products: usize = made.iter().map(|made| made.products).sum();
        let values: usize = made.iter().map(|made| made.values).sum();
        let powers = powers.max(made.iter().map(|made| made.powers).sum());
        if named.is_empty() && powers == 0 && products == 0 && values == 0 {
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
        if shown().filter(|op| is_absolute_value(op)).count() < values {
            let reason = "flang shows no `abs` here, and complex constants: compilers round theirs differently";
            let remedy = "assign the absolute value to a variable before the region";
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
pub fn referenced(text: &str) -> Vec<&str> {
    let all = tokens(text);
    let is_named = |at: &usize| {
        let before = at.checked_sub(1).map(|before| all[before]);
        all.get(at + 1) == Some(&"(") && before != Some("%") && before != Some("call")
    };
    (0..all.len()).filter(is_named).map(|at| all[at]).collect()
}

/// What a statement has that compilers compute differently of complex constants: nothing if it has none, and makes no complex
/// numbers of what may be constants.
#[derive(Default)]
struct Made {
    /// Products and quotients.
    products: usize,
    /// Powers, also of whole numbers.
    powers: usize,
    /// Absolute values.
    values: usize,
}

impl Made {
    fn of(statement: &FortranStatement, is_complex: &dyn Fn(&str) -> bool) -> Made {
        let all = tokens(&statement.text);
        let makes = |at: usize| {
            ["cmplx", "dcmplx"].contains(&all[at]) || is_complex(all[at]) || is_literal(&all[..at], &all[at..])
        };
        if !(0..all.len()).any(makes) {
            return Made::default();
        }
        let is_star = |at: usize| all.get(at) == Some(&"*");
        let single = |at: usize| is_star(at) && !is_star(at + 1) && !(at > 0 && is_star(at - 1));
        let divides = |at: usize| all[at] == "/" && all.get(at + 1) != Some(&"=");
        Made {
            products: (0..all.len()).filter(|at| single(*at) || divides(*at)).count(),
            powers: constant_powers::all(statement),
            values: all.iter().filter(|token| ["abs", "cabs", "cdabs", "zabs"].contains(token)).count(),
        }
    }
}

/// Whether a complex literal begins: two parts in parentheses, numbers or names of constants, behind no name.
fn is_literal(before: &[&str], from: &[&str]) -> bool {
    let ends = |token: &&str| token.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == ')');
    if from.first() != Some(&"(") || before.last().is_some_and(ends) {
        return false;
    }
    let mut depth = 0_u32;
    let mut commas = 0;
    for token in from {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 1 => commas += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    commas == 1
}

/// The absolute value of a real or a complex number.
fn is_absolute_value(op: &HlfirOp) -> bool {
    let symbol = || attribute(&op.text, "@", '(').unwrap_or_default();
    ["math.absf", "math.absi", "complex.abs"].contains(&op.name.as_str())
        || op.name.starts_with("fir.call") && ["hypot", "hypotf", "cabs", "cabsf"].contains(&symbol())
}

fn is_product(op: &HlfirOp) -> bool {
    const NAMES: [&str; 8] =
        ["arith.mulf", "arith.muli", "arith.divf", "arith.divsi", "fir.mulc", "fir.divc", "complex.mul", "complex.div"];
    let symbol = || attribute(&op.text, "@", '(').unwrap_or_default();
    // Flang computes the extents of sections as indices.
    let of_text = NAMES.contains(&op.name.as_str()) && !op.types().contains("index");
    of_text || op.name.starts_with("fir.call") && ["__divdc3", "__divsc3"].contains(&symbol())
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
            is_function: &|_, name| ["f", "g"].contains(&name),
            powers: &|statement| statement.text.matches("**").count(),
            is_complex: &|name| name == "q",
        };
        check(&all.iter().collect::<Vec<_>>(), &procedure, &functions, &expected).is_err()
    }

    #[test]
    fn products_of_complex_constants_are_counted() {
        let made = |text: &str| {
            let all = statements(&format!("{text}\n"), SourceForm::Free);
            let made = Made::of(&all[0], &|name| name == "q");
            (made.products, made.powers, made.values)
        };
        assert_eq!(made("x = x*y/2*a(1,2)"), (0, 0, 0));
        assert_eq!(made("x = abs(y)**2*(a(1,2) + y)"), (0, 0, 0));
        assert_eq!(made("x = x*(1.0, -2.)/3**2"), (2, 1, 0));
        assert_eq!(made("x = x*(pi, e)"), (1, 0, 0));
        assert_eq!(made("x = abs(q)"), (0, 0, 1));
        assert_eq!(made("x = q**2"), (0, 1, 0));
        assert_eq!(made("if (x /= q) x = 2*x"), (1, 0, 0));
        assert_eq!(made("x = cmplx(y*2, z)"), (1, 0, 0));
        assert!(refused("x = q**2\n", vec![]));
        let extent = |types: &str| {
            let text = format!("%1, %c3_2 : {types}");
            refused("x(1:n) = (1.,2.)*q\n", vec![HlfirOp { name: "arith.divsi".to_owned(), text, ..call("", 1) }])
        };
        assert!(extent("index") && !extent("i32"));
        assert!(refused("x = abs((a, b))\n", vec![]));
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
