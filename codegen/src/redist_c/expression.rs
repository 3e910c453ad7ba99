//! Affine forms as C expressions.

use super::c_arithmetic::{affine, divided, nested};
use super::names::{NestNames, counter};
use dvm_redist::integer::affine::AffineForm;
use dvm_redist::integer::condition::{Between, Test};

/// `5*k1 - k2 + N - 3`.
pub fn form(row: &AffineForm, names: &NestNames) -> String {
    let counters = row.counter.iter().enumerate().map(|(k, &c)| (c, counter(k)));
    let parameters = row.parameter.iter().enumerate().map(|(p, &c)| (c, names.known(p)));
    affine(counters.chain(parameters), row.constant)
}

/// The maximum of lower bounds or the minimum of upper bounds.
pub fn bound(bounds: &[(AffineForm, i64)], lower: bool, names: &NestNames) -> String {
    let one = |(row, d): &(AffineForm, i64)| divided(&form(row, names), *d, lower);
    nested(bounds.iter().map(one), lower)
}

/// The condition that all forms are at least 0.
pub fn all(rows: &[&AffineForm], names: &NestNames) -> String {
    let tests: Vec<String> = rows.iter().map(|r| format!("{} >= 0", form(r, names))).collect();
    if tests.is_empty() { "1".to_owned() } else { tests.join(" && ") }
}

/// The condition that some form is negative.
pub fn any_of(rows: &[&AffineForm], names: &NestNames) -> String {
    rows.iter().map(|r| format!("{} < 0", form(r, names))).collect::<Vec<_>>().join(" || ")
}

/// The condition that all tests fail: parts to join by `||`, and the text around them.
pub fn fails(tests: &[Test], names: &NestNames) -> (Vec<String>, [&'static str; 2]) {
    match tests {
        [] => (vec!["1".to_owned()], ["", ""]),
        [one] => (conditions(one, false, names), ["", ""]),
        several => {
            let one = |t: &Test| format!("({})", conditions(t, true, names).join(" && "));
            (several.iter().map(one).collect(), ["!(", ")"])
        }
    }
}

/// The conditions of a test, or their negations.
fn conditions(test: &Test, hold: bool, names: &NestNames) -> Vec<String> {
    let [row, rest, pair] = if hold { [">=", "==", "<="] } else { ["<", "!=", ">"] };
    let rows = test.piece.rows.iter().map(|r| format!("{} {row} 0", form(r, names)));
    // A remainder of 0 is 0 for negative numbers, too.
    let congruences = test.piece.congruences.iter().map(|(r, m)| format!("({}) % {m} {rest} 0", form(r, names)));
    rows.chain(congruences).chain(test.between.iter().map(|b| between(b, pair, names))).collect()
}

/// Compares the least integer above the lower bound with the greatest below the upper bound.
fn between(b: &Between, relation: &str, names: &NestNames) -> String {
    let lower = divided(&form(&b.lower.negated(), names), b.least, true);
    format!("{lower} {relation} {}", divided(&form(&b.upper, names), b.most, false))
}
