//! The loop nest of a redistribution: counters in the order of the list L, every variable as a form in them, bounds,
//! and the cuts that drop redundant copies. Parameters stay symbolic.

pub mod existence;

use crate::distribution::case::Case;
use crate::distribution::domain::Domain;
use crate::distribution::{Affine, Bound, Distribution, Kind, Variable};
use crate::error::{Error, Result};
use crate::integer::affine::{AffineForm, outer_bounds};
use crate::integer::isolve::{divisor, isolve};
use crate::integer::number::narrow;
use crate::integer::projection::{Guards, guards};
use crate::periodic::graver::{Cuts, test_set};

/// A number known only at run time: a parameter, or the rest of an equation after division.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// A parameter of the case.
    Parameter(String),
    /// `form / divisor` for this dimension; if the division leaves a remainder, there is nothing to do.
    Quotient {
        /// The dimension.
        dimension: usize,
        /// The dividend, over the parameters.
        form: AffineForm,
        /// The divisor, above 1.
        divisor: i64,
    },
}

/// A set of locations that serve no element: all rows at least 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The step, over the source variables, to the location that serves instead.
    pub vector: Vec<i64>,
    /// The inequalities `row >= 0`.
    pub rows: Vec<AffineForm>,
    /// The innermost counter in the rows; `None`: there is none.
    pub level: Option<usize>,
}

/// The loop nest.
#[derive(Clone, Debug)]
pub struct Nest {
    /// The numbers known at run time: the columns of [`AffineForm::parameter`].
    pub known: Vec<Known>,
    /// The dimension of each counter.
    pub counters: Vec<usize>,
    /// The variable (of [`Nest::order`]) of each counter, whose place in L it takes.
    pub leads: Vec<(Side, usize)>,
    /// The source variables over the counters.
    pub source: Vec<AffineForm>,
    /// The target variables over the counters.
    pub target: Vec<AffineForm>,
    /// Inequalities `row >= 0`: all bounds, and what they imply for outer counters.
    pub bounds: Vec<AffineForm>,
    /// What counters must satisfy beyond their bounds, so that each value has a point inside; ignores the cuts.
    pub guards: Guards,
    /// The cuts.
    pub cuts: Vec<Cut>,
    /// An equation has no solution: the two sides share no element.
    pub never: bool,
}

/// The distribution that a variable belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The source.
    Source,
    /// The target.
    Target,
}

/// One variable in the order of L.
struct Entry<'a> {
    side: Side,
    index: usize,
    variable: &'a Variable,
    class: u8,
}

/// Maximum number of rows when outer loops are tightened.
const MOST_ROWS: usize = 120;

impl Nest {
    /// The nest of a case. The list L: target memories, source memories, the other data variables, and last the
    /// innermost data variables of the source and of the target, which share the last counter of their dimension.
    pub fn new(case: &Case) -> Result<Self> {
        case.check()?;
        let names: Vec<String> = case.parameters.keys().cloned().collect();
        let dims = case.source.dimensions.len();
        let lists: Vec<Vec<Entry>> = (0..dims).map(|j| list(case, j)).collect();
        let mut nest = Self {
            known: names.iter().cloned().map(Known::Parameter).collect(),
            counters: Vec::new(),
            leads: Vec::new(),
            source: Vec::new(),
            target: Vec::new(),
            bounds: Vec::new(),
            guards: Guards::default(),
            cuts: Vec::new(),
            never: false,
        };
        let delta: Vec<Vec<i64>> = lists.iter().map(|l| l.iter().map(coefficient).collect()).collect();
        let places = nest.number(&lists, &delta);
        let rests = nest.rests(case, &delta)?;
        let columns = (nest.counters.len(), nest.known.len());
        let zero = AffineForm::constant(columns.0, columns.1, 0);
        nest.source = vec![zero.clone(); case.source.variables().count()];
        nest.target = vec![zero.clone(); case.target.variables().count()];
        for (j, entries) in lists.iter().enumerate() {
            let rest = AffineForm { counter: vec![0; columns.0], ..rests[j].clone() };
            let solution = isolve(&delta[j], &rest, |i| places[j][i])?;
            for (entry, row) in entries.iter().zip(solution.x) {
                let side = if entry.side == Side::Source { &mut nest.source } else { &mut nest.target };
                side[entry.index] = row;
            }
        }
        let mut rows = nest.side_bounds(&case.source, Side::Source)?;
        rows.extend(nest.side_bounds(&case.target, Side::Target)?);
        nest.bounds = outer_bounds(&rows, columns.0, MOST_ROWS);
        nest.bounded()?;
        if !nest.never {
            nest.guards = guards(&rows, &nest.bounds, columns.0);
        }
        nest.add_cuts(case)?;
        Ok(nest)
    }

    /// Refuses a nest with unbounded loops, which happens if there were too many rows to project.
    fn bounded(&self) -> Result<()> {
        let both = |k: usize| {
            [1, -1].iter().all(|s| self.bounds.iter().any(|r| r.last() == Some(k) && r.counter[k].signum() == *s))
        };
        match (0..self.counters.len()).find(|&k| !both(k)) {
            Some(k) => Err(Error::new(
                format!("dims[{}]", self.counters[k]),
                "the bounds of a loop take too many inequalities",
                "use fewer bounds that depend on other variables",
            )),
            None => Ok(()),
        }
    }

    /// Numbers the counters class by class over the dimensions: memories come first, the counters of runs last. Returns
    /// the index of each dimension's i-th free variable.
    fn number(&mut self, lists: &[Vec<Entry>], delta: &[Vec<i64>]) -> Vec<Vec<usize>> {
        let mut all: Vec<(u8, usize, usize)> = Vec::new();
        for (j, entries) in lists.iter().enumerate() {
            let taken = delta[j].iter().rposition(|&d| d != 0);
            let free = (0..entries.len()).filter(|&i| Some(i) != taken);
            all.extend(free.map(|i| (entries[i].class, j, i)));
        }
        all.sort_unstable();
        let mut places = vec![Vec::new(); lists.len()];
        let mut by_entry: Vec<(usize, usize, usize)> = Vec::new();
        for (k, &(_, j, i)) in all.iter().enumerate() {
            self.counters.push(j);
            self.leads.push((lists[j][i].side, lists[j][i].index));
            by_entry.push((j, i, k));
        }
        by_entry.sort_unstable();
        by_entry.into_iter().for_each(|(j, _, k)| places[j].push(k));
        places
    }

    /// The right-hand sides, divided by the divisor of each equation.
    fn rests(&mut self, case: &Case, delta: &[Vec<i64>]) -> Result<Vec<AffineForm>> {
        let parameters = self.known.len();
        let mut rests = Vec::new();
        for (j, delta) in delta.iter().enumerate() {
            // target offset + sum beta b = source offset + sum alpha a.
            let from = self.parameters_of(&case.source.dimensions[j].offset, parameters)?;
            let right = from.plus(-1, &self.parameters_of(&case.target.dimensions[j].offset, parameters)?)?;
            let g = divisor(delta);
            if g == 1 {
                rests.push(right);
            } else if right.is_constant() {
                self.never |= if g == 0 { right.constant != 0 } else { right.constant % g != 0 };
                rests.push(AffineForm::constant(0, parameters, if g == 0 { 0 } else { right.constant / g }));
            } else {
                // Without variables, the quotient by 0 means "is 0"; otherwise the division must be exact.
                let column = self.known.len();
                self.known.push(Known::Quotient { dimension: j, form: right, divisor: g });
                let mut rest = AffineForm::constant(0, column + 1, 0);
                rest.parameter[column] = 1;
                rests.push(rest);
            }
        }
        let columns = self.known.len();
        rests.iter_mut().for_each(|r| r.parameter.resize(columns, 0));
        Ok(rests)
    }

    fn parameters_of(&self, a: &Affine, columns: usize) -> Result<AffineForm> {
        let mut row = AffineForm::constant(0, columns, a.constant);
        for (name, c) in &a.terms {
            let at = self.known.iter().position(|k| *k == Known::Parameter(name.clone()));
            let at = at.ok_or_else(|| Error::new("offset", format!("unknown name '{name}'"), "give it a value"))?;
            row.parameter[at] += c;
        }
        Ok(row)
    }

    /// Converts a form over one side's variables and the parameters to a row.
    fn row_of(&self, a: &Affine, names: &[&str], side: Side) -> Result<AffineForm> {
        let mut row = AffineForm::constant(self.counters.len(), self.known.len(), a.constant);
        let x = if side == Side::Source { &self.source } else { &self.target };
        for (name, c) in &a.terms {
            if let Some(i) = names.iter().position(|n| n == name) {
                row = row.plus(*c, &x[i])?;
            } else {
                let mut p = self.parameters_of(&Affine::constant(0).plus(1, name), self.known.len())?;
                p.counter = vec![0; self.counters.len()];
                row = row.plus(*c, &p)?;
            }
        }
        Ok(row)
    }

    fn side_bounds(&self, distribution: &Distribution, side: Side) -> Result<Vec<AffineForm>> {
        let x = if side == Side::Source { &self.source } else { &self.target };
        self.moved_bounds(distribution, side, &vec![0; x.len()])
    }

    /// The bounds of one side at a location plus a vector: `row >= 0` for each.
    fn moved_bounds(&self, distribution: &Distribution, side: Side, vector: &[i64]) -> Result<Vec<AffineForm>> {
        let names: Vec<&str> = distribution.variables().map(|(_, v)| v.name.as_str()).collect();
        let x = if side == Side::Source { &self.source } else { &self.target };
        let mut rows = Vec::new();
        for (i, (_, v)) in distribution.variables().enumerate() {
            for (bounds, sign) in [(&v.lower, 1), (&v.upper, -1)] {
                for b in bounds {
                    // sign * (divisor * x - affine) >= 0
                    let row = self.row_of(&b.affine, &names, side)?.times(-1)?.plus(b.divisor, &x[i])?;
                    let moved = i128::from(b.divisor) * i128::from(vector[i])
                        - b.affine.terms.iter().map(|(n, c)| i128::from(*c) * step(vector, &names, n)).sum::<i128>();
                    let constant = narrow(i128::from(row.constant) + moved);
                    let constant = constant.ok_or_else(|| Error::overflow(format!("source.{}", v.name), "a bound"))?;
                    rows.push(AffineForm { constant, ..row }.times(sign)?);
                }
            }
        }
        Ok(rows)
    }

    fn add_cuts(&mut self, case: &Case) -> Result<()> {
        let source = &case.source;
        let domain = Domain::new(source, &case.parameters).map_err(|e| e.within("source"))?;
        let fixed = case.parameters.is_empty();
        let found = if fixed { Cuts::of_domain(&domain, false)?.map(|c| c.vectors) } else { cut_vectors(source)? };
        let Some(mut vectors) = found else {
            return Err(Error::new(
                "source",
                "the copies of an element are too many to enumerate their differences",
                "use smaller coefficients, or constant bounds",
            ));
        };
        vectors.sort();
        let whole = self.side_bounds(source, Side::Source)?;
        for vector in vectors {
            let moved = self.moved_bounds(source, Side::Source, &vector)?;
            // A bound that the step does not tighten holds anyway.
            let kept = moved.into_iter().zip(&whole).filter(|(m, w)| m.constant < w.constant);
            let rows: Vec<AffineForm> = kept.map(|(m, _)| m.tightened()).collect();
            if rows.iter().any(|r| r.is_constant() && r.constant < 0) {
                continue;
            }
            let level = rows.iter().filter_map(AffineForm::last).max();
            self.cuts.push(Cut { vector, rows, level });
        }
        Ok(())
    }

    /// The bounds of a counter as `(row, divisor)`: lower ones are rounded up, upper ones down.
    #[allow(clippy::type_complexity)]
    pub fn bounds_of(&self, k: usize) -> (Vec<(AffineForm, i64)>, Vec<(AffineForm, i64)>) {
        bounds_in(&self.bounds, k)
    }

    /// The bounds without counters: conditions on the parameters.
    pub fn conditions(&self) -> Vec<&AffineForm> {
        self.bounds.iter().filter(|r| r.last().is_none()).collect()
    }
}

/// The bounds of a counter in those rows that use no later counter.
#[allow(clippy::type_complexity)]
pub fn bounds_in(rows: &[AffineForm], k: usize) -> (Vec<(AffineForm, i64)>, Vec<(AffineForm, i64)>) {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|r| r.last() == Some(k)) {
        let mut rest = row.clone();
        let c = std::mem::take(&mut rest.counter[k]);
        if c > 0 {
            // k >= -rest / c
            lower.push((rest.negated(), c));
        } else {
            upper.push((rest, -c));
        }
    }
    (lower, upper)
}

fn step(vector: &[i64], names: &[&str], name: &str) -> i128 {
    names.iter().position(|n| *n == name).map_or(0, |i| vector[i].into())
}

fn coefficient(entry: &Entry) -> i64 {
    if entry.side == Side::Target { entry.variable.coef } else { -entry.variable.coef }
}

/// The variables of a dimension in the order of L.
fn list(case: &Case, dimension: usize) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    for (side, d) in [(Side::Target, &case.target), (Side::Source, &case.source)] {
        let own: Vec<_> = d.variables().enumerate().filter(|(_, (j, _))| *j == dimension).collect();
        let layout = d.layout();
        let rank = |v: &Variable| layout.iter().position(|n| *n == v.name);
        // The innermost data variable of this dimension, among those that matter to the element.
        let data = own.iter().filter(|(_, (_, v))| v.kind == Kind::Data && v.coef != 0);
        let inner = data.max_by_key(|(_, (_, v))| rank(v)).map(|(i, _)| *i);
        for (index, (_, variable)) in own {
            let class = match (variable.kind, side) {
                (Kind::Arch, Side::Target) => 0,
                (Kind::Arch, Side::Source) => 1,
                (Kind::Data, Side::Target) => {
                    if Some(index) == inner {
                        5
                    } else {
                        2
                    }
                }
                (Kind::Data, Side::Source) => {
                    if Some(index) == inner {
                        4
                    } else {
                        3
                    }
                }
            };
            entries.push(Entry { side, index, variable, class });
        }
    }
    entries.sort_by_key(|e| e.class);
    entries
}

/// The lexicographically negative test vectors of a source whose widths may be symbolic.
fn cut_vectors(source: &Distribution) -> Result<Option<Vec<Vec<i64>>>> {
    let variables: Vec<(usize, &Variable)> = source.variables().collect();
    let names: Vec<&str> = variables.iter().map(|(_, v)| v.name.as_str()).collect();
    let number = |b: &Bound, up: bool| -> Option<i64> {
        let c = b.affine.constant;
        let q = if up { -(-c).div_euclid(b.divisor) } else { c.div_euclid(b.divisor) };
        b.affine.terms.is_empty().then_some(q)
    };
    let width = |v: &Variable| -> Option<i64> {
        let lo = v.lower.iter().filter_map(|b| number(b, true)).max()?;
        let hi = v.upper.iter().filter_map(|b| number(b, false)).min()?;
        Some(hi.saturating_sub(lo).max(0))
    };
    let widths: Vec<Option<i64>> = variables.iter().map(|(_, v)| width(v)).collect();
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for (i, (_, v)) in variables.iter().enumerate() {
        for b in v.lower.iter().chain(&v.upper) {
            let mut row: Vec<i64> =
                names.iter().map(|n| b.affine.terms.iter().find(|(m, _)| m == n).map_or(0, |t| t.1)).collect();
            if row.iter().any(|&c| c != 0) {
                row[i] -= b.divisor;
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
    }
    let coef: Vec<i64> = variables.iter().map(|(_, v)| v.coef).collect();
    let dimension: Vec<usize> = variables.iter().map(|(j, _)| *j).collect();
    let Some(mut vectors) = test_set(&coef, &dimension, &widths, &rows)? else { return Ok(None) };
    vectors.retain(|v| v.iter().find(|&&x| x != 0).is_some_and(|&x| x < 0));
    Ok(Some(vectors))
}
