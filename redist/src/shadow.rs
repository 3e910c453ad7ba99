//! Exact projection over the integers: Pugh's Omega test.
//!
//! Projecting a counter k out of `a k >= l`, `b k <= u` gives the real shadow `a u >= b l`, which may hold points without an
//! integer above them when a and b both exceed 1. The dark shadow `a u - b l >= (a-1)(b-1)` holds none of those, but may
//! lose points; what it loses lies close above some lower bound, `a k = l + s` with `0 <= s <= (a b' - a - b') / b'` for the
//! greatest b': one splinter for each such s, in which k can be put in. So the projection is a union of systems
//! of inequalities and congruences.

use crate::error::Result;
use crate::number::gcd;
use crate::row::Row;

/// More systems than this are not listed.
pub const MOST_PIECES: usize = 256;

/// A system: all rows at least 0, and each congruence's row a multiple of its modulus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Rows that are at least 0.
    pub rows: Vec<Row>,
    /// Rows that are multiples of a number above 1.
    pub congruences: Vec<(Row, i64)>,
}

impl Piece {
    /// The system of some inequalities.
    pub fn new(rows: Vec<Row>) -> Self {
        Self { rows, congruences: Vec::new() }
    }

    /// Whether the system holds for these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        self.rows.iter().all(|r| r.value(counters, parameters) >= 0)
            && self.congruences.iter().all(|(r, m)| r.value(counters, parameters) % i128::from(*m) == 0)
    }

    /// Adds an inequality; of parallel ones the tighter stays. False when it never holds.
    fn demand(&mut self, row: Row) -> bool {
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

    /// Adds a congruence. False when it never holds.
    fn divides(&mut self, mut row: Row, modulus: i64) -> bool {
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

    /// The systems in which `step * k + rest` stands for counter k, for each rest: k is free of congruences then.
    fn unlocked(&self, k: usize) -> Result<Option<Vec<Self>>> {
        let own = self.congruences.iter().filter(|(r, _)| r.counter[k] != 0);
        let mut step = 1_i64;
        for (_, m) in own {
            let next = i128::from(step / gcd(step, *m)) * i128::from(*m);
            if next > MOST_PIECES as i128 {
                return Ok(None);
            }
            step = next as i64;
        }
        if step == 1 {
            return Ok(Some(vec![self.clone()]));
        }
        let mut found = Vec::new();
        for rest in 0..step {
            let put = |row: &Row| -> Result<Row> {
                let mut unit = Row::constant(row.counter.len(), row.parameter.len(), rest);
                unit.counter[k] = step;
                let mut without = row.clone();
                let c = std::mem::take(&mut without.counter[k]);
                without.plus(c, &unit)
            };
            let mut piece = Self::default();
            let mut possible = true;
            for row in &self.rows {
                possible &= piece.demand(put(row)?);
            }
            for (row, modulus) in &self.congruences {
                possible &= piece.divides(put(row)?, *modulus);
            }
            if possible {
                found.push(piece);
            }
        }
        Ok(Some(found))
    }

    /// The projection of a counter that no congruence uses.
    fn shadow(&self, k: usize) -> Result<Vec<Self>> {
        let side = |sign: i64| self.rows.iter().filter(move |r| r.counter[k].signum() == sign);
        let mut dark = Self { rows: Vec::new(), congruences: self.congruences.clone() };
        let mut possible = true;
        for row in side(0) {
            possible &= dark.demand(row.clone());
        }
        let rest = dark.clone();
        let mut exact = true;
        for lower in side(1) {
            for upper in side(-1) {
                let (a, b) = (lower.counter[k], -upper.counter[k]);
                let mut sum = lower.times(b)?.plus(a, upper)?;
                if a > 1 && b > 1 {
                    let gap = Row::constant(sum.counter.len(), sum.parameter.len(), (a - 1).saturating_mul(b - 1));
                    // Where the gap never matters, the shadow is exact.
                    exact &= sum.is_constant() && sum.constant >= gap.constant;
                    sum = sum.plus(-1, &gap)?;
                }
                possible &= dark.demand(sum);
            }
        }
        let mut found = if possible { vec![dark] } else { Vec::new() };
        let most = side(-1).map(|r| -r.counter[k]).max().unwrap_or(1);
        for lower in side(1).filter(|r| !exact && r.counter[k] > 1) {
            let a = lower.counter[k];
            let last = (i128::from(a) * i128::from(most) - i128::from(a) - i128::from(most)) / i128::from(most);
            for s in 0..=last.min(MOST_PIECES as i128) as i64 {
                found.extend(self.splinter(k, lower, s, &rest)?);
            }
        }
        Ok(found)
    }

    /// The part in which `a k` is `s` above its lower bound.
    fn splinter(&self, k: usize, lower: &Row, s: i64, rest: &Self) -> Result<Option<Self>> {
        let a = lower.counter[k];
        // a k = l + s, where lower is a k - l.
        let mut value = lower.times(-1)?.plus(1, &Row::constant(lower.counter.len(), lower.parameter.len(), s))?;
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

/// Projects counter `k` out of a union of systems, exactly; `None` when there would be too many systems.
pub fn project_exactly(pieces: &[Piece], k: usize) -> Result<Option<Vec<Piece>>> {
    let mut found: Vec<Piece> = Vec::new();
    for piece in pieces {
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

    /// Random systems over three counters in a box: projected one after the other, compared with all points of the box.
    #[test]
    fn projections_are_exact() {
        let mut seed = 23_u64;
        let mut next = |n: i64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % n as u64) as i64
        };
        let (mut twice, mut split, mut lost_by_dark) = (0, 0, 0);
        for round in 0..400 {
            let wide = 9;
            let mut rows = Vec::new();
            for k in 0..3 {
                for (sign, constant) in [(1, 0), (-1, wide)] {
                    let mut row = Row::constant(3, 1, constant);
                    row.counter[k] = sign;
                    rows.push(row);
                }
            }
            for _ in 0..2 + next(3) {
                let mut row = Row::constant(3, 1, next(31) - 15);
                row.counter.iter_mut().for_each(|c| *c = next(9) - 4);
                row.parameter[0] = next(3) - 1;
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
                        assert_eq!(found, above, "round {round}: ({x}, {y}) with {parameter}: {rows:?}");
                        lost_by_dark += usize::from(above && !one[0].holds(&[x, y, 0], &[parameter]));
                        any |= above;
                    }
                    if let Some(two) = &two {
                        let found = two.iter().any(|p| p.holds(&[x, 0, 0], &[parameter]));
                        assert_eq!(found, any, "round {round}: {x} with {parameter}: {rows:?}");
                    }
                }
            }
        }
        println!("{twice} projected twice, {split} split, {lost_by_dark} points only in splinters");
        assert!(twice > 200 && split > 100 && lost_by_dark > 100, "{twice}, {split}, {lost_by_dark}");
    }
}
