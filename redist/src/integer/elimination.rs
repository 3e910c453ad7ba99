//! Eliminates several counters from a union of systems, in the order that splits it least, and decides whether a system
//! has an integer point.

use crate::error::{Error, Result};
use crate::integer::affine::{AffineForm, drop_implied};
use crate::integer::number::narrow;
use crate::integer::omega::{Piece, project_exactly};

/// Number of row pairs that may still be combined. At 0, questions stay unanswered.
#[derive(Clone, Debug)]
pub struct Effort(pub u64);

impl Effort {
    /// Answers a question with at most `most` of the remaining effort.
    pub fn part<T>(&mut self, most: u64, question: impl FnOnce(&mut Self) -> T) -> T {
        let mut share = Self(most.min(self.0));
        self.0 -= share.0;
        let answer = question(&mut share);
        self.0 += share.0;
        answer
    }

    /// Whether no effort remains.
    pub fn is_gone(&self) -> bool {
        self.0 == 0
    }

    /// Spends `cost`; returns whether that much remained.
    pub fn spend(&mut self, cost: i64) -> bool {
        let left = self.0.checked_sub(cost.max(0) as u64);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// Eliminates columns until none remain, or until at most `leave` remain and each of those would split the union.
/// Returns the systems and the remaining columns.
pub fn eliminate(
    mut pieces: Vec<Piece>,
    mut columns: Vec<usize>,
    leave: usize,
    effort: &mut Effort,
) -> Result<Option<(Vec<Piece>, Vec<usize>)>> {
    while !columns.is_empty() && !pieces.is_empty() {
        let splits = |k: usize| pieces.iter().fold(0_i64, |sum, p| sum.saturating_add(p.splits(k)));
        let growth = |k: usize| pieces.iter().map(|p| pairs(&p.rows, k)).sum::<i64>();
        let best = (0..columns.len()).min_by_key(|&i| (splits(columns[i]), growth(columns[i])));
        let Some(i) = best else { break };
        if columns.len() <= leave && splits(columns[i]) > 0 {
            break;
        }
        let cost = |p: &Piece| p.splits(columns[i]).saturating_add(1).saturating_mul(rows_after(&p.rows, columns[i]));
        let choosing = pieces.iter().map(|p| (p.rows.len() * columns.len()) as i64).sum();
        if !effort.spend(pieces.iter().map(cost).fold(choosing, i64::saturating_add)) {
            return Ok(None);
        }
        let Some(next) = project_exactly(&pieces, columns[i])? else { return Ok(None) };
        columns.remove(i);
        pieces = without_doubles(next, effort);
    }
    Ok(Some((pieces, columns)))
}

/// Changes variables, one to one over the integers, so that coefficients get small: replacing k_i by `k_i - q k_j`
/// preserves the existence of a point, and coefficients of 1 mean exact projections.
pub fn reduce(rows: &mut [AffineForm], columns: &[usize]) -> Result<()> {
    let dot = |rows: &[AffineForm], i: usize, j: usize| -> i128 {
        rows.iter().map(|r| i128::from(r.counter[i]) * i128::from(r.counter[j])).sum()
    };
    let mut moved = true;
    while moved {
        moved = false;
        for &i in columns {
            for &j in columns.iter().filter(|&&j| j != i) {
                let norm = dot(rows, j, j);
                // The nearest integer; a step must shorten the vector.
                let q = if norm == 0 { 0 } else { (2 * dot(rows, i, j) + norm - 1).div_euclid(2 * norm) };
                if q == 0 {
                    continue;
                }
                let before = dot(rows, i, i);
                for row in rows.iter_mut() {
                    let next = i128::from(row.counter[i]) - q * i128::from(row.counter[j]);
                    row.counter[i] = narrow(next).ok_or_else(|| Error::overflow("the projection", "a coefficient"))?;
                }
                moved |= dot(rows, i, i) < before;
            }
        }
    }
    Ok(())
}

/// Maximum number of rows after column k is eliminated.
fn rows_after(rows: &[AffineForm], k: usize) -> i64 {
    rows.len() as i64 + pairs(rows, k)
}

/// The growth in rows from that elimination.
fn pairs(rows: &[AffineForm], k: usize) -> i64 {
    let side = |sign: i64| rows.iter().filter(|r| r.counter[k].signum() == sign).count() as i64;
    side(1) * side(-1) - side(1) - side(-1)
}

/// Removes systems that are empty over the reals, or part of another one.
fn without_doubles(mut pieces: Vec<Piece>, effort: &mut Effort) -> Vec<Piece> {
    for piece in &mut pieces {
        let columns = piece.rows.first().map_or(0, |r| r.counter.len());
        drop_implied(&mut piece.rows, columns);
    }
    if pieces.len() < 2 {
        return pieces;
    }
    let mut kept: Vec<Piece> = Vec::new();
    for piece in pieces {
        if kept.iter().any(|k| within(&piece, k)) || impossible(piece.rows.clone(), effort) {
            continue;
        }
        kept.retain(|k| !within(k, &piece));
        kept.push(piece);
    }
    kept
}

/// Whether each condition of `outer` is in `inner`, or weaker than one there.
fn within(inner: &Piece, outer: &Piece) -> bool {
    let weaker = |o: &AffineForm, i: &AffineForm| {
        o.counter == i.counter && o.parameter == i.parameter && o.constant >= i.constant
    };
    outer.congruences.iter().all(|c| inner.congruences.contains(c))
        && outer.rows.iter().all(|o| inner.rows.iter().any(|i| weaker(o, i)))
}

/// Whether rows, tightened to integers, have no common point over the reals; also false at the limit of effort.
fn impossible(mut rows: Vec<AffineForm>, effort: &mut Effort) -> bool {
    let columns = rows.first().map_or(0, |r| r.counter.len() + r.parameter.len());
    rows.iter_mut().for_each(|r| *r = flat(r));
    let mut left: Vec<usize> = (0..columns).collect();
    while let Some(i) = (0..left.len()).min_by_key(|&i| pairs(&rows, left[i])) {
        let k = left.swap_remove(i);
        // The choice itself costs effort, too.
        if !effort.spend(rows_after(&rows, k) + (rows.len() * left.len()) as i64 / 4) {
            return false;
        }
        let mut next = Piece::default();
        for row in rows.iter().filter(|r| r.counter[k] == 0) {
            if !next.demand(row.clone()) {
                return true;
            }
        }
        for lower in rows.iter().filter(|r| r.counter[k] > 0) {
            for upper in rows.iter().filter(|r| r.counter[k] < 0) {
                let g = crate::integer::number::gcd(lower.counter[k], upper.counter[k]);
                let sum = lower.times(-upper.counter[k] / g).and_then(|l| l.plus(lower.counter[k] / g, upper));
                // A sum out of range is dropped, which only weakens the system.
                if sum.is_ok_and(|sum| !next.demand(sum)) {
                    return true;
                }
            }
        }
        rows = next.rows;
        drop_implied(&mut rows, columns);
    }
    false
}

/// Whether a system has no integer point; also false at the limit of effort.
pub fn never(piece: &Piece, columns: usize, effort: &mut Effort) -> bool {
    impossible(piece.rows.clone(), effort)
        || eliminate(vec![piece.clone()], (0..columns).collect(), 0, effort)
            .is_ok_and(|done| done.is_some_and(|(pieces, _)| pieces.is_empty()))
}

/// The row with its parameters as counters after the others.
pub fn flat(row: &AffineForm) -> AffineForm {
    AffineForm { counter: [&row.counter[..], &row.parameter].concat(), parameter: Vec::new(), constant: row.constant }
}
