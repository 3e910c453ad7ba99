//! Conditions on outer counters, and which of them say something where others hold already.

use crate::integer::affine::AffineForm;
use crate::integer::elimination::{Effort, never};
use crate::integer::number::{ceil_div, floor_div};
use crate::integer::omega::{MOST_PIECES, Piece};

/// An integer lies between two bounds: some x with `lower + least * x >= 0` and `upper - most * x >= 0`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Between {
    /// The lower bound's row, without x.
    pub lower: AffineForm,
    /// Positive.
    pub least: i64,
    /// The upper bound's row, without x.
    pub upper: AffineForm,
    /// Positive.
    pub most: i64,
}

impl Between {
    /// Whether there is one for these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        let first = ceil_div(-self.lower.value(counters, parameters), self.least.into());
        first <= floor_div(self.upper.value(counters, parameters), self.most.into())
    }
}

/// Conditions that hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    /// Inequalities and congruences.
    pub piece: Piece,
    /// Pairs of bounds with an integer in between.
    pub between: Vec<Between>,
}

impl Test {
    /// Whether all hold for these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        self.piece.holds(counters, parameters) && self.between.iter().all(|b| b.holds(counters, parameters))
    }

    /// How many conditions there are.
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

/// The conditions of a test; those that are long to say come first, so that they are left out first.
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

/// What is known to hold where a test is made: a system over columns (parameters are columns as well), of which some may
/// stand for integers that conditions say exist.
#[derive(Clone)]
pub struct Context {
    columns: usize,
    piece: Piece,
}

impl Context {
    /// The context of some rows without parameters; `None` when they never hold.
    pub fn new(columns: usize, rows: impl Iterator<Item = AffineForm>) -> Option<Self> {
        let mut context = Self { columns, piece: Piece::default() };
        let mut rows = rows;
        rows.all(|r| context.piece.demand(r)).then_some(context)
    }

    /// The context in which a test holds too.
    pub fn with(&self, test: &Test) -> Option<Self> {
        conditions(test).into_iter().try_fold(self.clone(), |context, c| context.and(c))
    }

    /// Whether a row is one of the context's, or weaker than one.
    fn says(&self, row: &AffineForm) -> bool {
        let same = |k: &AffineForm| row.counter.iter().eq(k.counter.iter().take(row.counter.len()));
        self.piece.rows.iter().any(|k| k.constant <= row.constant && k.last() < Some(row.counter.len()) && same(k))
    }

    /// Whether a test never holds here.
    pub fn excludes(&self, test: &Test, effort: &mut Effort) -> bool {
        !effort.is_gone() && self.with(test).is_none_or(|c| c.never(effort))
    }

    fn never(&self, effort: &mut Effort) -> bool {
        // The easiest question takes copies of all rows.
        effort.spend(((1 + self.piece.rows.len()) * self.columns) as i64)
            && effort.part(QUESTION, |effort| never(&self.piece, self.columns, effort))
    }

    /// Whether one of the tests always holds here; false also when that is too hard to tell.
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

    /// `None` when the condition can't hold here.
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

    /// The parts of the context in which a condition does not hold; `None` when there are too many.
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
                // The least integer above the lower bound is greater than the greatest one below the upper bound.
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

    /// Adds columns; the number of the first.
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

/// The row that is 1.
fn one(columns: usize) -> AffineForm {
    AffineForm::constant(columns, 0, 1)
}

/// Of more congruences than this at a time no conclusions are drawn.
const MOST_TOLD_APART: usize = 12;

/// The effort for one question whether a system has a point.
const QUESTION: u64 = 4000;

/// The same tests without what holds in all contexts anyway; `None` when one of them holds always.
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

/// More tests than this are not compared with each other.
const MOST_JOINED: usize = 40;

/// Puts one test in the place of two where it says no more than all of them.
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
    /// What two tests say both, for conditions on the same forms the weaker one; `None` when that is nothing.
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

/// A test without the conditions that the others of its own imply in each context.
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
