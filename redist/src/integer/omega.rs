//! Exact projection over the integers: Pugh's Omega test.
//!
//! Projecting a counter k out of `a k >= l`, `b k <= u` gives the real shadow `a u >= b l`, which may contain points
//! without an integer above them if a and b both exceed 1. The dark shadow `a u - b l >= (a-1)(b-1)` has no such point,
//! but may lose others; those have an integer close above some lower bound, `a k = l + s` with `0 <= s <= (a b' - a -
//! b') / b'` for the greatest b'. Each such s gives one splinter, in which k is substituted. So the projection is a
//! union of systems of inequalities and congruences.

use crate::error::{Error, Result};
use crate::integer::affine::AffineForm;
use crate::integer::number::{extended_gcd, gcd, narrow};

/// Maximum number of systems in a union.
pub const MOST_PIECES: usize = 256;

/// Maximum number of splinters to try; most prove empty.
const MOST_TRIES: i64 = 1 << 12;

/// A system: all rows are at least 0, and each congruence's row is a multiple of its modulus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Rows that are at least 0.
    pub rows: Vec<AffineForm>,
    /// Rows that are multiples of a number above 1.
    pub congruences: Vec<(AffineForm, i64)>,
}

impl Piece {
    /// A system of inequalities only.
    pub fn new(rows: Vec<AffineForm>) -> Self {
        Self { rows, congruences: Vec::new() }
    }

    /// Whether the system holds for these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        self.rows.iter().all(|r| r.value(counters, parameters) >= 0)
            && self.congruences.iter().all(|(r, m)| r.value(counters, parameters) % i128::from(*m) == 0)
    }

    /// Adds an inequality; of parallel ones, keeps the tighter. False if it never holds.
    pub(crate) fn demand(&mut self, row: AffineForm) -> bool {
        let row = row.tightened();
        if row.is_constant() {
            return row.constant >= 0;
        }
        match self.rows.iter_mut().find(|r| r.counter == row.counter && r.parameter == row.parameter) {
            Some(known) => known.constant = known.constant.min(row.constant),
            None => self.rows.push(row),
        }
        true
    }

    /// Adds a congruence. False if it never holds.
    pub(crate) fn divides(&mut self, mut row: AffineForm, modulus: i64) -> bool {
        let all = row.counter.iter_mut().chain(&mut row.parameter).chain(std::iter::once(&mut row.constant));
        all.for_each(|c| *c = c.rem_euclid(modulus));
        if row.is_constant() {
            return row.constant == 0;
        }
        if modulus > 1 && !self.congruences.contains(&(row.clone(), modulus)) {
            self.congruences.push((row, modulus));
        }
        true
    }

    /// Substitutes `k = step * t + rest` for counter k. `None` if the system never holds.
    fn replaced(&self, k: usize, step: i64, rest: &AffineForm) -> Result<Option<Self>> {
        let put = |row: &AffineForm| -> Result<AffineForm> {
            let mut without = row.clone();
            let c = std::mem::take(&mut without.counter[k]);
            let mut next = without.plus(c, rest)?;
            next.counter[k] = narrow(i128::from(c) * i128::from(step))
                .ok_or_else(|| Error::overflow("the projection", "a coefficient"))?;
            Ok(next)
        };
        let mut piece = Self::default();
        for row in &self.rows {
            if !piece.demand(put(row)?) {
                return Ok(None);
            }
        }
        for (row, modulus) in &self.congruences {
            if !piece.divides(put(row)?, *modulus) {
                return Ok(None);
            }
        }
        Ok(Some(piece))
    }

    /// Replaces counter k so that every congruence that still uses k has a modulus with a factor in common with k's
    /// coefficient: `c k + rest` is a multiple of m iff `k = m t - rest / c` modulo m.
    pub(crate) fn freed(&self, k: usize) -> Result<Option<Self>> {
        let mut piece = self.clone();
        loop {
            let own = piece.congruences.iter().find(|(r, m)| r.counter[k] != 0 && gcd(r.counter[k], *m) == 1);
            let Some((row, m)) = own else { return Ok(Some(piece)) };
            let inverse = extended_gcd(row.counter[k].into(), (*m).into()).1;
            let mut rest = row.clone();
            rest.counter[k] = 0;
            let part = |v: &mut i64| {
                let v_m = (-inverse * i128::from(*v)).rem_euclid(i128::from(*m)) as i64;
                *v = if v_m > m / 2 { v_m - m } else { v_m };
            };
            rest.counter
                .iter_mut()
                .chain(&mut rest.parameter)
                .chain(std::iter::once(&mut rest.constant))
                .for_each(part);
            let Some(next) = piece.replaced(k, *m, &rest)? else { return Ok(None) };
            piece = next;
        }
    }

    /// Number of residues of counter k that its congruences distinguish.
    fn period(&self, k: usize) -> i64 {
        let own = self.congruences.iter().filter(|(r, _)| r.counter[k] != 0);
        own.fold(1, |step, (r, m)| {
            // Adding a multiple of m / gcd(c, m) to k changes c k by a multiple of m.
            let m = m / gcd(*m, r.counter[k]);
            (step / gcd(step, m)).saturating_mul(m)
        })
    }

    /// The systems with counter k replaced by an integer that no congruence uses: one for each distinguished residue.
    fn unlocked(&self, k: usize) -> Result<Option<Vec<Self>>> {
        let Some(freed) = self.freed(k)? else { return Ok(Some(Vec::new())) };
        let step = freed.period(k);
        if step > MOST_PIECES as i64 {
            return Ok(None);
        }
        if step == 1 && freed.congruences.iter().all(|(r, _)| r.counter[k] == 0) {
            return Ok(Some(vec![freed]));
        }
        let mut found = Vec::new();
        for rest in 0..step {
            let columns = self.rows.iter().chain(self.congruences.iter().map(|c| &c.0)).next();
            let rest = columns.map_or(AffineForm::constant(0, 0, rest), |r| {
                AffineForm::constant(r.counter.len(), r.parameter.len(), rest)
            });
            found.extend(freed.replaced(k, step, &rest)?);
        }
        Ok(Some(found))
    }

    /// The projection of a counter that no congruence uses.
    fn shadow(&self, k: usize) -> Result<Vec<Self>> {
        // Splinters may also start from upper bounds: choose the side with fewer.
        if self.splinters(k, 1, 1) <= self.splinters(k, -1, 1) {
            return self.parts(k);
        }
        let mut turned = self.clone();
        turned.rows.iter_mut().for_each(|r| r.counter[k] = -r.counter[k]);
        turned.parts(k)
    }

    /// Maximum number of splinters for the projection of `sign * k` with all its coefficients times `scale`.
    fn splinters(&self, k: usize, sign: i64, scale: i64) -> i64 {
        let side = move |sign: i64| self.rows.iter().filter(move |r| r.counter[k].signum() == sign);
        if side(1).all(|l| side(-1).all(|u| is_exact(l, u, k, scale))) {
            return 0;
        }
        let most = side(-sign).map(|r| r.counter[k].abs().saturating_mul(scale)).max().unwrap_or(1);
        let first = side(sign).map(|r| r.counter[k].abs().saturating_mul(scale)).filter(|&a| a > 1);
        first.fold(0, |sum: i64, a| sum.saturating_add(last_splinter(a, most).saturating_add(1)))
    }

    /// Maximum number of systems in the projection of k, minus one.
    pub(crate) fn splits(&self, k: usize) -> i64 {
        let locked = self.congruences.iter().any(|(r, _)| r.counter[k] != 0);
        let freed = if locked { self.freed(k) } else { Ok(None) };
        let (free, period) = match &freed {
            Ok(Some(free)) => (free, free.period(k)),
            _ => (self, 1),
        };
        let each = free.splinters(k, 1, period).min(free.splinters(k, -1, period));
        period.saturating_mul(each.saturating_add(1)) - 1
    }

    /// The dark shadow and the splinters.
    fn parts(&self, k: usize) -> Result<Vec<Self>> {
        let side = |sign: i64| self.rows.iter().filter(move |r| r.counter[k].signum() == sign);
        let mut dark = Self { rows: Vec::new(), congruences: self.congruences.clone() };
        let mut possible = true;
        for row in side(0) {
            possible &= dark.demand(row.clone());
        }
        let rest = dark.clone();
        for lower in side(1) {
            for upper in side(-1) {
                let (a, b) = (lower.counter[k], -upper.counter[k]);
                let mut sum = lower.times(b)?.plus(a, upper)?;
                if !is_exact(lower, upper, k, 1) {
                    let gap = (a - 1).saturating_mul(b - 1);
                    sum = sum.plus(-1, &AffineForm::constant(sum.counter.len(), sum.parameter.len(), gap))?;
                }
                possible &= dark.demand(sum);
            }
        }
        let mut found = if possible { vec![dark] } else { Vec::new() };
        if self.splinters(k, 1, 1) == 0 {
            return Ok(found);
        }
        let most = side(-1).map(|r| -r.counter[k]).max().unwrap_or(1);
        for lower in side(1).filter(|r| r.counter[k] > 1) {
            for s in 0..=last_splinter(lower.counter[k], most) {
                found.extend(self.splinter(k, lower, s, &rest)?);
            }
        }
        Ok(found)
    }

    /// The part where `a k` is `s` above its lower bound.
    fn splinter(&self, k: usize, lower: &AffineForm, s: i64, rest: &Self) -> Result<Option<Self>> {
        let a = lower.counter[k];
        // a k = l + s, where lower is a k - l.
        let mut value =
            lower.times(-1)?.plus(1, &AffineForm::constant(lower.counter.len(), lower.parameter.len(), s))?;
        value.counter[k] = 0;
        let mut piece = rest.clone();
        let mut possible = piece.divides(value.clone(), a);
        for row in self.rows.iter().filter(|r| r.counter[k] != 0) {
            let mut without = row.clone();
            let c = std::mem::take(&mut without.counter[k]);
            possible &= piece.demand(without.times(a)?.plus(c, &value)?);
        }
        Ok(possible.then_some(piece))
    }
}

/// The greatest s for which `a k = l + s` can be outside the dark shadow; `most` is the greatest coefficient of an
/// upper bound.
fn last_splinter(a: i64, most: i64) -> i64 {
    let (a, most) = (i128::from(a), i128::from(most));
    narrow((a * most - a - most) / most).unwrap_or(i64::MAX)
}

/// Whether each point in a pair's real shadow has an integer above it: a coefficient (times `scale`) is 1, or the dark
/// shadow's gap always holds.
pub(crate) fn is_exact(lower: &AffineForm, upper: &AffineForm, k: usize, scale: i64) -> bool {
    let wide = |c: i64| i128::from(c) * i128::from(scale);
    let (a, b) = (wide(lower.counter[k]), -wide(upper.counter[k]));
    if a == 1 || b == 1 {
        return true;
    }
    let sum = |l: i64, u: i64| i128::from(l).checked_mul(b)?.checked_add(i128::from(u).checked_mul(a)?);
    let counters = lower.counter.iter().zip(&upper.counter).enumerate();
    counters.filter(|(i, _)| *i != k).all(|(_, (&l, &u))| sum(l, u) == Some(0))
        && lower.parameter.iter().zip(&upper.parameter).all(|(&l, &u)| sum(l, u) == Some(0))
        && sum(lower.constant, upper.constant).zip((a - 1).checked_mul(b - 1)).is_some_and(|(sum, gap)| sum >= gap)
}

/// Projects counter `k` out of a union of systems, exactly; `None` if there would be too many systems.
pub fn project_exactly(pieces: &[Piece], k: usize) -> Result<Option<Vec<Piece>>> {
    let mut found: Vec<Piece> = Vec::new();
    for piece in pieces {
        if piece.splits(k) > MOST_TRIES {
            return Ok(None);
        }
        let Some(unlocked) = piece.unlocked(k)? else { return Ok(None) };
        for piece in unlocked {
            for next in piece.shadow(k)? {
                if !found.contains(&next) {
                    found.push(next);
                }
            }
            if found.len() > MOST_PIECES {
                return Ok(None);
            }
        }
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    /// Random systems over three counters in a box: projected one by one, and compared with all points of the box.
    #[test]
    fn projections_are_exact() {
        let (mut twice, mut split, mut lost_by_dark) = (0, 0, 0);
        for mut random in testkit::seeds_from(23, 400).map(Random::new) {
            let wide = 9;
            let mut rows = Vec::new();
            for k in 0..3 {
                for (sign, constant) in [(1, 0), (-1, wide)] {
                    let mut row = AffineForm::constant(3, 1, constant);
                    row.counter[k] = sign;
                    rows.push(row);
                }
            }
            for _ in 0..random.between(2, 4) {
                let mut row = AffineForm::constant(3, 1, random.between(-15, 15));
                row.counter.iter_mut().for_each(|c| *c = random.between(-4, 4));
                row.parameter[0] = random.between(-1, 1);
                rows.push(row);
            }
            let whole = [Piece::new(rows.clone())];
            let one = project_exactly(&whole, 2).unwrap().unwrap();
            let two = project_exactly(&one, 1).unwrap();
            split += usize::from(one.len() > 1);
            twice += usize::from(two.is_some());
            for parameter in [-4, 0, 3] {
                for x in -1..=wide + 1 {
                    let mut any = false;
                    for y in -1..=wide + 1 {
                        let above = (0..=wide).any(|z| whole[0].holds(&[x, y, z], &[parameter]));
                        let found = one.iter().any(|p| p.holds(&[x, y, 0], &[parameter]));
                        assert_eq!(found, above, "({x}, {y}) with {parameter}: {rows:?}");
                        lost_by_dark += usize::from(above && !one[0].holds(&[x, y, 0], &[parameter]));
                        any |= above;
                    }
                    if let Some(two) = &two {
                        let found = two.iter().any(|p| p.holds(&[x, 0, 0], &[parameter]));
                        assert_eq!(found, any, "{x} with {parameter}: {rows:?}");
                    }
                }
            }
        }
        println!("{twice} projected twice, {split} split, {lost_by_dark} points only in splinters");
        assert!(
            testkit::selected() || twice > 200 && split > 100 && lost_by_dark > 100,
            "{twice}, {split}, {lost_by_dark}"
        );
    }
}
