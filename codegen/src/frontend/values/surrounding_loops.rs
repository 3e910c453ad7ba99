//! The loops and conditions around a statement, and proofs from them.

use super::affine::{Affine, Atom, Formula};
use crate::frontend::clang::ast::Id;
use crate::model::Iterator;
use std::collections::BTreeMap;

/// A loop whose counter is a dimension of the domain.
#[derive(Debug, Clone)]
pub struct Dimension {
    /// The counter's declaration.
    pub counter: Id,
    /// Its isl name.
    pub symbol: String,
    /// The loop in C.
    pub iterator: Iterator,
}

/// The loops and conditions around a statement.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Loops, outermost first; the loops from `split` on are inside an atomic statement.
    pub loops: Vec<Dimension>,
    /// Number of loops that are dimensions of the statement's domain; `None` outside statements.
    pub split: Option<usize>,
    /// Constraints of the domain.
    pub domain: Formula,
    /// Conditions inside the atomic statement.
    pub inner: Formula,
    /// Original order so far.
    pub schedule: Vec<String>,
    /// In the body of independent loops: the number of loops around them.
    pub independent: Option<usize>,
    /// Under a condition that the domain does not express.
    pub conditional: bool,
    /// The code may never be evaluated: it is in a loop, under a condition, or after `&&`.
    pub uncertain: bool,
}

impl Scope {
    /// The isl name of a counter in scope.
    pub fn symbol(&self, counter: Id) -> Option<&str> {
        self.loops.iter().rev().find(|l| l.counter == counter).map(|l| l.symbol.as_str())
    }

    /// The same place in code that may never run, under a condition that the domain does not express.
    pub fn perhaps(&self) -> Scope {
        Scope { conditional: true, uncertain: true, ..self.clone() }
    }

    /// Adds a condition.
    pub fn restrict(&mut self, formula: Formula) {
        let target = if self.split.is_some() { &mut self.inner } else { &mut self.domain };
        *target = std::mem::take(target).and(formula);
    }

    /// All forms known to be at least 0 here.
    pub fn facts(&self) -> impl std::iter::Iterator<Item = &Affine> {
        self.domain.facts.iter().chain(&self.inner.facts)
    }

    /// The dimensions of the statement's domain.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.loops[..self.split.unwrap_or(self.loops.len())]
    }

    /// The loops inside the atomic statement.
    pub fn inner_loops(&self) -> &[Dimension] {
        &self.loops[self.split.unwrap_or(self.loops.len())..]
    }
}

/// The outcome of a proof that a value is at least 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The value is always at least 0.
    Proved,
    /// The value is at least 0 if this combination of parameters is.
    Assuming(Affine),
    /// No proof was found.
    Unknown,
}

/// Known ranges of parameters, and assumptions about them.
#[derive(Debug, Clone, Default)]
pub struct Ground {
    /// Minima and maxima of parameters, from their types (64-bit ones: from the guard).
    pub ranges: BTreeMap<String, (i64, i64)>,
    /// Combinations of parameters that must be at least 0, else the original loops run.
    pub assumptions: Vec<Affine>,
}

/// The largest number of steps in the search for one proof.
const MAX_PROOF_STEPS: u32 = 3_000;
/// The least upper limit of a sum of parameters that is assumed.
const LARGE: i64 = 1 << 14;

/// What the search for one proof goes by.
struct Search<'a> {
    /// Counters in scope, innermost first.
    counters: &'a [&'a str],
    /// Forms known to be at least 0.
    facts: &'a [&'a Affine],
    /// The least upper limit that is assumed.
    limit: i64,
    /// Steps left.
    left: u32,
}

impl Ground {
    /// Tries to prove that a value is at least 0 here.
    pub fn prove(&self, value: &Affine, scope: &Scope, extra: &[Affine]) -> Proof {
        self.prove_assuming(value, scope, extra, LARGE)
    }

    /// As `prove`; assumes upper limits of sums of parameters from `limit` on.
    pub fn prove_assuming(&self, value: &Affine, scope: &Scope, extra: &[Affine], limit: i64) -> Proof {
        let facts: Vec<&Affine> = extra.iter().chain(scope.facts()).collect();
        let counters: Vec<&str> = scope.loops.iter().rev().map(|l| l.symbol.as_str()).collect();
        let mut search = Search { counters: &counters, facts: &facts, limit, left: MAX_PROOF_STEPS };
        self.search(value, &mut search, 12)
    }

    fn search(&self, value: &Affine, by: &mut Search, depth: u32) -> Proof {
        by.left = by.left.saturating_sub(1);
        if self.holds(value) {
            return Proof::Proved;
        }
        if depth == 0 || by.left == 0 {
            return Proof::Unknown;
        }
        let (counters, facts, limit) = (by.counters, by.facts, by.limit);
        let symbols = value.symbols();
        let mut best = Proof::Unknown;
        let mut consider = |candidate: &Affine| -> bool {
            match self.search(candidate, by, depth - 1) {
                Proof::Proved => true,
                other => {
                    if best == Proof::Unknown {
                        best = other;
                    }
                    false
                }
            }
        };
        for simpler in value.tightened() {
            if consider(&simpler) {
                return Proof::Proved;
            }
        }
        let Some(counter) = counters.iter().find(|c| symbols.contains(**c)) else {
            let plain = value.terms.keys().all(|a| matches!(a, Atom::Symbol(_)));
            return match best {
                Proof::Unknown if plain && worth_assuming(value, limit) && self.is_computable(value) => {
                    Proof::Assuming(value.clone())
                }
                other => other,
            };
        };
        let Some(factor) = value.factor(counter) else { return best };
        for fact in facts {
            let Some(d) = fact.factor(counter).filter(|d| *d != 0) else { continue };
            if d.signum() != factor.signum() || factor % d != 0 {
                continue;
            }
            if value.plus(fact, -(factor / d)).is_some_and(|rest| consider(&rest)) {
                return Proof::Proved;
            }
        }
        best
    }

    /// Whether 64 bits hold every intermediate sum of a value of parameters, which a guard computes.
    fn is_computable(&self, value: &Affine) -> bool {
        let largest = |(atom, factor): (&Atom, &i64)| match atom {
            Atom::Symbol(name) => {
                let (low, high) = self.ranges.get(name)?;
                Some(i128::from(factor.unsigned_abs()) * i128::from(low.unsigned_abs().max(high.unsigned_abs())))
            }
            Atom::Product(_) | Atom::Expression { .. } => None,
        };
        let sum: Option<i128> = value.terms.iter().map(largest).sum();
        sum.is_some_and(|sum| sum + i128::from(value.constant.unsigned_abs()) <= i128::from(i64::MAX))
    }

    fn holds(&self, value: &Affine) -> bool {
        let trivially = |v: &Affine| {
            let least = |(atom, factor): (&Atom, &i64)| match atom {
                Atom::Symbol(name) => {
                    let (low, high) = self.ranges.get(name)?;
                    Some(i128::from(*factor) * i128::from(if *factor > 0 { *low } else { *high }))
                }
                Atom::Product(_) | Atom::Expression { .. } => None,
            };
            let sum: Option<i128> = v.terms.iter().map(least).sum();
            sum.is_some_and(|sum| sum + i128::from(v.constant) >= 0)
        };
        trivially(value) || self.assumptions.iter().any(|a| value.plus(a, -1).is_some_and(|rest| trivially(&rest)))
    }
}

/// False for an assumption that only small problems meet: the region would always stay sequential.
fn worth_assuming(value: &Affine, limit: i64) -> bool {
    !value.terms.is_empty() && (value.terms.values().any(|f| *f > 0) || value.constant >= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::values::affine::compare;

    fn place() -> Scope {
        let mut scope = Scope::default();
        for name in ["i", "j"] {
            let iterator = Iterator { name: name.to_owned(), ctype: "int".to_owned() };
            scope.loops.push(Dimension { counter: scope.loops.len() as u64 + 1, symbol: name.to_owned(), iterator });
        }
        let (i, j, n) = (Affine::symbol("i"), Affine::symbol("j"), Affine::symbol("n"));
        for (op, a, b) in [(">=", &i, &Affine::constant(1)), ("<", &i, &n), (">=", &j, &i), ("<", &j, &n)] {
            scope.restrict(compare(op, a, b).unwrap_or_default());
        }
        scope
    }

    #[test]
    fn bounds_of_enclosing_loops_are_used() {
        let (i, j, n) = (Affine::symbol("i"), Affine::symbol("j"), Affine::symbol("n"));
        let one = Affine::constant(1);
        let ground = Ground::default();
        let minus = |a: &Affine, b: &Affine| a.plus(b, -1).unwrap_or_default();
        assert_eq!(ground.prove(&minus(&i, &one), &place(), &[]), Proof::Proved);
        assert_eq!(ground.prove(&minus(&j, &i), &place(), &[]), Proof::Proved);
        assert_eq!(ground.prove(&minus(&minus(&n, &j), &one), &place(), &[]), Proof::Proved);
        let known = Ground { ranges: BTreeMap::from([("n".to_owned(), (-9, 9))]), ..Ground::default() };
        assert_eq!(known.prove(&minus(&n, &one), &Scope::default(), &[]), Proof::Assuming(minus(&n, &one)));
        assert_eq!(ground.prove(&minus(&n, &one), &Scope::default(), &[]), Proof::Unknown);
        let unsigned = Ground { ranges: BTreeMap::from([("n".to_owned(), (0, 9))]), ..Ground::default() };
        assert_eq!(unsigned.prove(&n, &Scope::default(), &[]), Proof::Proved);
    }
}
