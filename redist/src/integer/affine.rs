//! Affine expressions over loop counters and parameters, and systems of inequalities over them.

use crate::error::{Error, Result};
use crate::integer::number::{floor_div, narrow};

/// `sum counter[i] * k_i + sum parameter[i] * p_i + constant`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AffineForm {
    /// Coefficients of the loop counters.
    pub counter: Vec<i64>,
    /// Coefficients of the parameters.
    pub parameter: Vec<i64>,
    /// The constant.
    pub constant: i64,
}

impl AffineForm {
    /// A constant expression.
    pub fn constant(counters: usize, parameters: usize, constant: i64) -> Self {
        Self { counter: vec![0; counters], parameter: vec![0; parameters], constant }
    }

    /// `self + factor * other`.
    pub fn plus(&self, factor: i64, other: &Self) -> Result<Self> {
        let add = |a: i64, b: i64| {
            narrow(i128::from(a) + i128::from(factor) * i128::from(b))
                .ok_or_else(|| Error::overflow("the general solution", "a coefficient"))
        };
        let each = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(&a, &b)| add(a, b)).collect::<Result<Vec<_>>>();
        Ok(Self {
            counter: each(&self.counter, &other.counter)?,
            parameter: each(&self.parameter, &other.parameter)?,
            constant: add(self.constant, other.constant)?,
        })
    }

    /// `factor * self`.
    pub fn times(&self, factor: i64) -> Result<Self> {
        Self::constant(self.counter.len(), self.parameter.len(), 0).plus(factor, self)
    }

    /// `-self`.
    #[must_use]
    pub fn negated(&self) -> Self {
        let turn = |v: &[i64]| v.iter().map(|c| -c).collect();
        Self { counter: turn(&self.counter), parameter: turn(&self.parameter), constant: -self.constant }
    }

    /// The last counter in use.
    pub fn last(&self) -> Option<usize> {
        self.counter.iter().rposition(|&c| c != 0)
    }

    /// Whether the expression is constant.
    pub fn is_constant(&self) -> bool {
        self.last().is_none() && self.parameter.iter().all(|&p| p == 0)
    }

    /// The value for given counters and parameters.
    pub fn value(&self, counters: &[i64], parameters: &[i64]) -> i128 {
        let dot = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum::<i128>();
        dot(&self.counter, counters) + dot(&self.parameter, parameters) + i128::from(self.constant)
    }

    /// The same half space `self >= 0` with the smallest coefficients; the integer points stay the same.
    #[must_use]
    pub fn tightened(mut self) -> Self {
        let g = self.counter.iter().chain(&self.parameter).fold(0, |g, &c| crate::integer::number::gcd(g, c));
        if g > 1 {
            self.counter.iter_mut().chain(&mut self.parameter).for_each(|c| *c /= g);
            self.constant = floor_div(self.constant.into(), g.into()) as i64;
        }
        self
    }
}

/// The convex part of New_bounds: from the last counter to the first, adds the inequalities that a counter's bounds
/// imply for the counters before it, so that outer loops rarely enter empty inner loops.
///
/// `rows` are inequalities `row >= 0`. A pair with a unit coefficient projects exactly. Another pair gives its real
/// shadow, tightened to integers, which never loses a point but may keep points without an integer above them:
/// [`crate::integer::projection`] finds those. The result keeps every row, and stops growing at `most` rows.
pub fn outer_bounds(rows: &[AffineForm], counters: usize, most: usize) -> Vec<AffineForm> {
    let mut all: Vec<AffineForm> = Vec::new();
    rows.iter().for_each(|r| insert(&mut all, r.clone().tightened()));
    for k in (0..counters).rev() {
        let at: Vec<AffineForm> = all.iter().filter(|r| r.last() == Some(k)).cloned().collect();
        let mut next = all.clone();
        for lower in at.iter().filter(|r| r.counter[k] > 0) {
            for upper in at.iter().filter(|r| r.counter[k] < 0) {
                let g = crate::integer::number::gcd(lower.counter[k], upper.counter[k]);
                let sum = lower.times(-upper.counter[k] / g).and_then(|l| l.plus(lower.counter[k] / g, upper));
                if let Ok(sum) = sum {
                    insert(&mut next, sum.tightened());
                }
            }
        }
        if next.len() > most {
            break;
        }
        all = next;
    }
    drop_implied(&mut all, counters);
    all
}

/// Removes the rows implied by rows on single counters.
pub(crate) fn drop_implied(rows: &mut Vec<AffineForm>, counters: usize) {
    let hull = hull(rows, counters);
    rows.retain(|r| single(r).is_some() || !implied(r, &hull));
}

/// Projects counter `k` out of inequalities `row >= 0`, exactly over the integers, or not at all. A pair of a lower
/// bound `a k >= l` and an upper bound `b k <= u` is exact if a or b is 1, and redundant if its dark shadow `a u - b l
/// >= (a-1)(b-1)` always holds. If all pairs are of these two kinds, every point of the shadow has an integer above it.
pub fn project(rows: &[AffineForm], k: usize) -> Option<Vec<AffineForm>> {
    let mut next = Vec::new();
    rows.iter().filter(|r| r.counter[k] == 0).for_each(|r| insert(&mut next, r.clone().tightened()));
    for lower in rows.iter().filter(|r| r.counter[k] > 0) {
        for upper in rows.iter().filter(|r| r.counter[k] < 0) {
            let (a, b) = (lower.counter[k], -upper.counter[k]);
            let shadow = lower.times(b).and_then(|l| l.plus(a, upper)).ok()?;
            if a == 1 || b == 1 {
                insert(&mut next, shadow.tightened());
            } else if !shadow.is_constant() || i128::from(shadow.constant) < i128::from(a - 1) * i128::from(b - 1) {
                return None;
            }
        }
    }
    Some(next)
}

/// The only counter of a row without parameters.
fn single(row: &AffineForm) -> Option<usize> {
    let only = row.counter.iter().filter(|&&c| c != 0).count() == 1 && row.parameter.iter().all(|&p| p == 0);
    if only { row.last() } else { None }
}

/// Minima and maxima from the rows on single counters.
fn hull(rows: &[AffineForm], counters: usize) -> Vec<(Option<i64>, Option<i64>)> {
    let mut hull = vec![(None, None); counters];
    for (k, row) in rows.iter().filter_map(|r| single(r).map(|k| (k, r))) {
        // Tightened rows on one counter have coefficient 1 or -1.
        if row.counter[k] > 0 {
            hull[k].0 = hull[k].0.max(Some(-row.constant));
        } else {
            let old = hull[k].1.unwrap_or(i64::MAX);
            hull[k].1 = Some(old.min(row.constant));
        }
    }
    hull
}

/// Whether a row holds in the whole hull.
fn implied(row: &AffineForm, hull: &[(Option<i64>, Option<i64>)]) -> bool {
    let least = row.counter.iter().zip(hull).try_fold(i128::from(row.constant), |sum, (&c, h)| {
        let end = match c.signum() {
            0 => Some(0),
            1 => h.0,
            _ => h.1,
        };
        end.map(|v| sum + i128::from(c) * i128::from(v))
    });
    row.parameter.iter().all(|&p| p == 0) && row.last().is_some() && least.is_some_and(|v| v >= 0)
}

/// Adds a row unless it is redundant; of parallel rows, keeps the tighter one.
fn insert(rows: &mut Vec<AffineForm>, row: AffineForm) {
    if row.is_constant() && row.constant >= 0 {
        return;
    }
    let parallel = |r: &&mut AffineForm| r.counter == row.counter && r.parameter == row.parameter;
    match rows.iter_mut().find(parallel) {
        Some(r) => r.constant = r.constant.min(row.constant),
        None => rows.push(row),
    }
}
