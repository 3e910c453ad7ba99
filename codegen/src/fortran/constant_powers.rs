//! Powers of constants: flang multiplies, and gfortran rounds the exact value, so that the last bits differ.

use super::refused::FortranRefusal;
use super::statements::FortranStatement;
use super::words::{is_function, tokens};

/// What a number or a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandKind {
    WholeConstant,
    RealConstant,
    Variable,
}
use OperandKind::{RealConstant, Variable, WholeConstant};

/// A power of a text.
struct Power {
    text: String,
    of_constants: bool,
    is_real: bool,
    is_square: bool,
}

/// Refuses a statement with a power of constants that is real; `kind_of` knows the names of variables and constants.
pub fn check(
    statement: &FortranStatement,
    kind_of: &dyn Fn(&str) -> Option<OperandKind>,
) -> Result<(), FortranRefusal> {
    for power in powers(&statement.text, kind_of) {
        if power.of_constants && power.is_real && !power.is_square {
            let reason = format!("`{}`, a power of constants: compilers round it differently", power.text);
            return Err(FortranRefusal::new(statement.first, &reason, "assign it to a variable before the region"));
        }
    }
    Ok(())
}

/// How many powers of a statement flang shows, if it does not compute one whose operands look like variables and are none, such as
/// `0.8**(5 + 0*i)` and `0.8**size(t)`.
pub fn shown(statement: &FortranStatement, kind_of: &dyn Fn(&str) -> Option<OperandKind>) -> usize {
    powers(&statement.text, kind_of).iter().filter(|power| !power.of_constants).count()
}

/// How many powers of a statement flang shows if it computes none of constants: it rounds those of complex ones otherwise.
pub fn all(statement: &FortranStatement) -> usize {
    powers(&statement.text, &|_| None).len()
}

fn powers(text: &str, kind_of: &dyn Fn(&str) -> Option<OperandKind>) -> Vec<Power> {
    let all = tokens(text);
    let signs = (1..all.len()).filter(|at| all[at - 1..=*at] == ["*", "*"]);
    let power = |at: usize| {
        let begin = first_of_operand(&all[..at - 1]);
        let end = at + 1 + length_of_operand(&all[at + 1..]);
        let (base, exponent) = (kind(&all[begin..at - 1], kind_of), kind(&all[at + 1..end], kind_of));
        Power {
            text: all[begin..end].concat(),
            of_constants: ![base, exponent].contains(&Variable),
            is_real: [base, exponent].contains(&RealConstant),
            // One product, whoever computes it.
            is_square: all[at + 1..end] == ["2"] && all.get(end..end + 2) != Some(&["*", "*"]),
        }
    };
    signs.map(power).collect()
}

/// Where the operand that ends the tokens begins: a number, or a name and parentheses.
fn first_of_operand(all: &[&str]) -> usize {
    let mut at = all.len().saturating_sub(1);
    let mut depth = 0_u32;
    while at > 0 {
        match all[at] {
            ")" => depth += 1,
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let goes_on = depth > 0 || all[at] == "(" && is_name(all[at - 1]) || all[at] == "%" || all[at - 1] == "%";
        if !goes_on {
            break;
        }
        at -= 1;
    }
    at
}

/// The tokens of the operand that begins: with a sign, or without.
fn length_of_operand(all: &[&str]) -> usize {
    let mut at = usize::from(all.first().is_some_and(|token| ["+", "-"].contains(token)));
    at += usize::from(all.get(at).is_some_and(|token| *token != "("));
    let mut depth = 0_u32;
    while let Some(token) = all.get(at) {
        match *token {
            "(" => depth += 1,
            ")" if depth > 0 => depth -= 1,
            _ if depth == 0 => break,
            _ => {}
        }
        at += 1;
    }
    at
}

/// What an operand is: a constant if all that it names is.
fn kind(operand: &[&str], kind_of: &dyn Fn(&str) -> Option<OperandKind>) -> OperandKind {
    let mut found = WholeConstant;
    for token in operand {
        match token.trim_start_matches('.').chars().next() {
            Some(c) if c.is_ascii_digit() => found = if is_whole(token) { found } else { RealConstant },
            Some(_) if is_name(token) => match kind_of(token) {
                Some(WholeConstant) => {}
                Some(RealConstant) => found = RealConstant,
                // What a function makes of whole constants may be real.
                None if is_function(token) => found = RealConstant,
                _ => return Variable,
            },
            _ => {}
        }
    }
    found
}

fn is_whole(number: &str) -> bool {
    number.split('_').next().is_some_and(|value| value.bytes().all(|b| b.is_ascii_digit()))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        let statement = FortranStatement { first: 1, last: 1, label: None, text: text.to_owned() };
        let kind_of = |name: &str| match name {
            "g" => Some(RealConstant),
            "k" => Some(WholeConstant),
            "x" | "y" | "a" | "i" | "p" => Some(Variable),
            _ => None,
        };
        check(&statement, &kind_of).is_err()
    }

    #[test]
    fn powers_of_real_constants_are_refused() {
        for text in [
            "x = 0.3d0**3",
            "x = a + .3**4",
            "x = g ** 3",
            "x = (g + 1)**k",
            "x = 1.5e0_8**(-3)",
            "x = 1.5**-3",
            "x = sqrt(2.0)**3",
            "x = real(3)**4",
            "x = 0.3**2**3",
            "x = 0.3**0.7",
            "x = 2**0.5",
            "x = 0.3 ** (k - 1)*y",
            "x = 2*(1.1*(2 - g))**5",
        ] {
            assert!(refused(text), "{text}");
        }
    }

    #[test]
    fn powers_of_variables_are_counted() {
        let count = |text: &str| {
            let statement = FortranStatement { first: 1, last: 1, label: None, text: text.to_owned() };
            shown(&statement, &|name| if name == "k" { Some(WholeConstant) } else { Some(Variable) })
        };
        assert_eq!(count("x = x**2 + 2**k + y**0.5*3**i"), 3);
        assert_eq!(count("x = 0.8**size(t) + 0.8**2"), 1);
    }

    #[test]
    fn other_powers_are_taken() {
        for text in [
            "x = y**3",
            "x = a(2)**3",
            "x = g**2",
            "x = 10**6",
            "x = k**3",
            "x = 2.0**i",
            "x = 0.3**i + 2",
            "x = 0.3*y**3",
            "x = (g + y)**3",
            "x = sqrt(y)**3",
            "x = p%g**3",
            "x = p%a(3)**3",
            "x = 2.0*(3 + i)**3",
            "x = y**0.5",
            "x = f(2.0)**3",
        ] {
            assert!(!refused(text), "{text}");
        }
    }
}
