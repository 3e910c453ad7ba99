//! Conditions on outer counters, and their simplification in a context where other conditions hold.

use crate::integer::affine::AffineForm;
use crate::integer::elimination::{Effort, never};
use crate::integer::number::{ceil_div, floor_div};
use crate::integer::omega::{MOST_PIECES, Piece};

/// An integer exists between two bounds: some x with `lower + least * x >= 0` and `upper - most * x >= 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// The lower bound's row, without x.
    pub lower: AffineForm,
    /// Coefficient of x in the lower bound, positive.
    pub least: i64,
    /// The upper bound's row, without x.
    pub upper: AffineForm,
    /// Negated coefficient of x in the upper bound, positive.
    pub most: i64,
}

impl Between {
    /// Whether such an integer exists for these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        let first = ceil_div(-self.lower.value(counters, parameters), self.least.into());
        first <= floor_div(self.upper.value(counters, parameters), self.most.into())
    }
}

/// A conjunction of conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Inequalities and congruences.
    pub piece: Piece,
    /// Pairs of bounds with an integer in between.
    pub between: Vec<Between>,
}

impl Test {
    /// Whether all conditions hold for these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        self.piece.holds(counters, parameters) && self.between.iter().all(|b| b.holds(counters, parameters))
    }

    /// Number of conditions.
    pub fn conditions(&self) -> usize {
        self.piece.rows.len() + self.piece.congruences.len() + self.between.len()
    }

    fn is_true(&self) -> bool {
        self.conditions() == 0
    }
}

/// One condition of a test.
#[derive(Clone, Copy)]
enum Condition<'a> {
    AtLeast(&'a AffineForm),
    Divides(&'a AffineForm, i64),
    Between(&'a Between),
}

/// The conditions of a test; those with the longest C text come first, to be dropped first.
fn conditions(test: &Test) -> Vec<Condition<'_>> {
    let pairs = test.between.iter().map(Condition::Between);
    let congruences = test.piece.congruences.iter().map(|(r, m)| Condition::Divides(r, *m));
    pairs.chain(congruences).chain(test.piece.rows.iter().map(Condition::AtLeast)).collect()
}

impl Condition<'_> {
    fn add_to(self, test: &mut Test) {
        match self {
            Self::AtLeast(r) => test.piece.rows.push(r.clone()),
            Self::Divides(r, m) => test.piece.congruences.push((r.clone(), m)),
            Self::Between(b) => test.between.push(b.clone()),
        }
    }
}

/// What is known where a test is evaluated: a system over columns (parameters are columns, too). Some columns may stand
/// for integers whose existence is a condition.
#[derive(Clone)]
pub struct Context {
    columns: usize,
    piece: Piece,
}

impl Context {
    /// The context of some rows without parameters; `None` if they never hold.
    pub fn new(columns: usize, rows: impl Iterator<Item = AffineForm>) -> Option<Self> {
        let mut context = Self { columns, piece: Piece::default() };
        let mut rows = rows;
        rows.all(|r| context.piece.demand(r)).then_some(context)
    }

    /// The context with a test added.
    pub fn with(&self, test: &Test) -> Option<Self> {
        conditions(test).into_iter().try_fold(self.clone(), |context, c| context.and(c))
    }

    /// Whether the context contains a row, or a stronger one.
    fn says(&self, row: &AffineForm) -> bool {
        let same = |k: &AffineForm| row.counter.iter().eq(k.counter.iter().take(row.counter.len()));
        self.piece.rows.iter().any(|k| k.constant <= row.constant && k.last() < Some(row.counter.len()) && same(k))
    }

    /// Whether a test never holds in this context.
    pub fn excludes(&self, test: &Test, effort: &mut Effort) -> bool {
        !effort.is_gone() && self.with(test).is_none_or(|c| c.never(effort))
    }

    fn never(&self, effort: &mut Effort) -> bool {
        // Even the easiest question copies all rows.
        effort.spend(((1 + self.piece.rows.len()) * self.columns) as i64)
            && effort.part(QUESTION, |effort| never(&self.piece, self.columns, effort))
    }

    /// Whether one of the tests always holds in this context; also false if that is too hard to decide.
    pub fn covered(&self, tests: &[Test], effort: &mut Effort) -> bool {
        let Some((first, rest)) = tests.split_first() else { return self.never(effort) };
        if effort.is_gone() || self.piece.congruences.len() > MOST_TOLD_APART {
            return false;
        }
        let mut here = Some(self.clone());
        for condition in conditions(first) {
            let Some(context) = here else { return true };
            let Some(outside) = context.outside(condition) else { return false };
            for part in outside {
                if !part.covered(rest, effort) {
                    return false;
                }
            }
            here = context.and(condition);
        }
        true
    }

    /// Adds a condition; `None` if it cannot hold in this context.
    fn and(mut self, condition: Condition) -> Option<Self> {
        let possible = match condition {
            Condition::AtLeast(r) => self.demand(r.clone()),
            Condition::Divides(r, m) => {
                let r = self.wide(r.clone());
                self.piece.divides(r, m)
            }
            Condition::Between(b) => {
                let x = self.widen(1);
                let (mut lower, mut upper) = (self.wide(b.lower.clone()), self.wide(b.upper.clone()));
                (lower.counter[x], upper.counter[x]) = (b.least, -b.most);
                self.demand(lower) && self.demand(upper)
            }
        };
        possible.then_some(self)
    }

    /// The parts of the context where a condition does not hold; `None` if there are too many.
    fn outside(&self, condition: Condition) -> Option<Vec<Self>> {
        let mut found = Vec::new();
        let mut next = self.clone();
        match condition {
            Condition::AtLeast(r) => {
                let below = r.times(-1).ok()?.plus(-1, &one(r.counter.len())).ok()?;
                found.extend(next.demand(below).then_some(next));
            }
            Condition::Divides(r, m) => {
                if m > MOST_PIECES as i64 {
                    return None;
                }
                for rest in 1..m {
                    let moved = r.plus(-rest, &one(r.counter.len())).ok()?;
                    found.extend(self.clone().and(Condition::Divides(&moved, m)));
                }
            }
            Condition::Between(b) => {
                // The least integer above the lower bound exceeds the greatest integer below the upper bound.
                let x = next.widen(2);
                let (mut lower, mut upper) = (next.wide(b.lower.clone()), next.wide(b.upper.clone()));
                (lower.counter[x], upper.counter[x + 1]) = (b.least, -b.most);
                let one = one(next.columns);
                let least = lower.times(-1).ok()?.plus(b.least - 1, &one).ok()?;
                let greatest = upper.times(-1).ok()?.plus(b.most - 1, &one).ok()?;
                let mut apart = one.times(-1).ok()?;
                (apart.counter[x], apart.counter[x + 1]) = (1, -1);
                let possible = [lower, least, upper, greatest, apart].into_iter().all(|r| next.demand(r));
                found.extend(possible.then_some(next));
            }
        }
        Some(found)
    }

    fn demand(&mut self, row: AffineForm) -> bool {
        let row = self.wide(row);
        self.piece.demand(row)
    }

    /// Adds columns; returns the index of the first.
    fn widen(&mut self, more: usize) -> usize {
        self.columns += more;
        let rows = self.piece.rows.iter_mut().chain(self.piece.congruences.iter_mut().map(|c| &mut c.0));
        rows.for_each(|r| r.counter.resize(self.columns, 0));
        self.columns - more
    }

    fn wide(&self, mut row: AffineForm) -> AffineForm {
        row.counter.resize(self.columns, 0);
        row
    }
}

/// The constant row 1.
fn one(columns: usize) -> AffineForm {
    AffineForm::constant(columns, 0, 1)
}

/// Maximum number of congruences that are considered together.
const MOST_TOLD_APART: usize = 12;

/// Effort, in pairs of rows, for one question whether a system has a point.
const QUESTION: u64 = 4000;

/// The tests without conditions that hold in all contexts; `None` if one of the tests always holds.
pub fn simpler(tests: Vec<Test>, around: &[Context], effort: &mut Effort) -> Option<Vec<Test>> {
    let mut possible = Vec::new();
    for mut test in tests {
        test.piece.rows.retain(|r| !around.iter().all(|c| c.says(r)));
        if !around.iter().all(|c| c.excludes(&test, effort)) {
            possible.push(shorter(&test, around, effort));
        }
    }
    if possible.iter().any(Test::is_true) || around.iter().all(|c| c.covered(&possible, effort)) {
        return None;
    }
    Some(joined(possible, around, effort))
}

/// Maximum number of tests that are compared with each other.
const MOST_JOINED: usize = 40;

/// Replaces two tests by one if the result is equivalent.
fn joined(mut tests: Vec<Test>, around: &[Context], effort: &mut Effort) -> Vec<Test> {
    let mut i = 0;
    while i < tests.len() && tests.len() <= MOST_JOINED {
        let found = (i + 1..tests.len()).find_map(|j| {
            let both = tests[i].weaker(&tests[j])?;
            let same = around.iter().all(|c| c.with(&both).is_none_or(|c| c.covered(&tests, effort)));
            same.then_some((j, both))
        });
        let Some((j, both)) = found else {
            i += 1;
            continue;
        };
        tests.remove(j);
        tests[i] = both;
    }
    tests
}

impl Test {
    /// The common conditions of two tests; of conditions on the same forms, the weaker one. `None` if there are none.
    fn weaker(&self, other: &Self) -> Option<Self> {
        let mut both = Self::default();
        for a in &self.piece.rows {
            let same = other.piece.rows.iter().find(|b| a.counter == b.counter);
            both.piece.rows.extend(same.map(|b| if a.constant > b.constant { a.clone() } else { b.clone() }));
        }
        for a in &self.piece.congruences {
            both.piece.congruences.extend(other.piece.congruences.iter().find(|b| a == *b).cloned());
        }
        for a in &self.between {
            let like = |b: &&Between| {
                (a.least, a.most) == (b.least, b.most)
                    && a.lower.counter == b.lower.counter
                    && a.upper.counter == b.upper.counter
            };
            both.between.extend(other.between.iter().find(like).map(|b| {
                let mut wide = a.clone();
                wide.lower.constant = a.lower.constant.max(b.lower.constant);
                wide.upper.constant = a.upper.constant.max(b.upper.constant);
                wide
            }));
        }
        (!both.is_true()).then_some(both)
    }
}

/// A test without the conditions that its other conditions imply in each context.
fn shorter(test: &Test, around: &[Context], effort: &mut Effort) -> Test {
    let all = conditions(test);
    let mut kept: Vec<bool> = vec![true; all.len()];
    for i in 0..all.len() {
        kept[i] = false;
        let others = || all.iter().zip(&kept).filter(|(_, k)| **k).map(|(c, _)| *c);
        let implied = !effort.is_gone()
            && around.iter().all(|context| {
                let Some(here) = others().try_fold(context.clone(), Context::and) else { return true };
                here.outside(all[i]).is_some_and(|parts| parts.iter().all(|p| p.never(effort)))
            });
        kept[i] = !implied;
    }
    let mut next = Test::default();
    all.into_iter().zip(kept).filter(|(_, k)| *k).for_each(|(c, _)| c.add_to(&mut next));
    next
}
