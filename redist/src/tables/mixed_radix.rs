//! Coordinates as single numbers: equal differences of codes are equal differences of coordinates.

use crate::error::{Error, Result};
use crate::integer::number::narrow;

/// A mixed-radix code of some coordinates. Digits are spaced so that a difference of two codes tells the difference
/// of every coordinate, and codes order as the coordinates do lexicographically.
#[derive(Clone, Debug)]
pub struct MixedRadix {
    low: Vec<i64>,
    weight: Vec<i64>,
    size: i64,
}

impl MixedRadix {
    /// The code of coordinates in these ranges. `place` is named when they do not fit.
    pub fn new(ranges: &[(i64, i64)], place: &str) -> Result<Self> {
        let (mut weight, mut next) = (vec![0; ranges.len()], 1_i128);
        for (k, &(lo, hi)) in ranges.iter().enumerate().rev() {
            let whole = || Error::new(place, "spans more than 2^62 codes", "redistribute a smaller part at a time");
            weight[k] = narrow(next).ok_or_else(whole)?;
            let width = (i128::from(hi) - i128::from(lo)).max(0);
            next = next.checked_mul(2 * width + 1).filter(|&n| narrow(n).is_some()).ok_or_else(whole)?;
        }
        Ok(Self { low: ranges.iter().map(|r| r.0).collect(), weight, size: next as i64 })
    }

    /// One more than the largest code (and than the largest magnitude of a difference).
    pub fn size(&self) -> i64 {
        self.size
    }

    /// What one step of coordinate `k` adds to the code.
    pub fn weight(&self, k: usize) -> i64 {
        self.weight[k]
    }

    /// The code of coordinates inside the ranges.
    pub fn encode(&self, at: impl IntoIterator<Item = i64>) -> i64 {
        at.into_iter().zip(&self.low).zip(&self.weight).map(|((a, l), w)| (a - l) * w).sum()
    }

    /// The coordinates of a code.
    pub fn decode(&self, code: i64) -> Vec<i64> {
        self.digits(code).collect()
    }

    /// The first coordinate of a code.
    pub fn first(&self, code: i64) -> i64 {
        code / self.weight[0] + self.low[0]
    }

    /// The coordinates of a code, one after the other.
    pub fn digits(&self, mut code: i64) -> impl Iterator<Item = i64> {
        self.weight.iter().zip(&self.low).map(move |(w, l)| {
            let d = code / w;
            code -= d * w;
            d + l
        })
    }

    /// The coordinate increments of a difference of two codes: digits between minus and plus the width.
    pub fn difference(&self, mut code: i64) -> Vec<i64> {
        let digit = |&w: &i64| {
            let d = (code + (w - 1) / 2).div_euclid(w);
            code -= d * w;
            d
        };
        self.weight.iter().map(digit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_differences_come_back() {
        let ranges = [(-2, 3), (5, 5), (0, 4)];
        let code = MixedRadix::new(&ranges, "test").unwrap();
        let points: Vec<[i64; 3]> = (-2..=3).flat_map(|a| (0..=4).map(move |c| [a, 5, c])).collect();
        for p in &points {
            assert_eq!(code.decode(code.encode(*p)), p);
            assert_eq!(code.first(code.encode(*p)), p[0]);
            for q in &points {
                let d: Vec<i64> = p.iter().zip(q).map(|(a, b)| a - b).collect();
                assert_eq!(code.difference(code.encode(*p) - code.encode(*q)), d);
                assert_eq!(code.encode(*p).cmp(&code.encode(*q)), p.cmp(q));
            }
        }
    }
}
