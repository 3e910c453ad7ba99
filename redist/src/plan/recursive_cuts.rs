//! The paper's recursive cuts of three variables, `t = alpha x + beta y + gamma z`, with its missing points put right.
//!
//! First the copies in the plane (x, y) are cut, then `v = (alpha x + beta y) / d` against z as if v were dense. Where
//! it is not, the second cut drops elements: the gaps g of v come back by a system each. The rule of test sets needs
//! no such repair; this is the paper's way, for three variables, positive coefficients and lower bounds 0.

use crate::error::Result;
use crate::integer::number::gcd;
use crate::room;

/// The values of `0 ..= a ux + b uy` that `a x + b y` does not reach, for coprime a and b.
///
/// # Errors
/// [`crate::Error::is_no_memory`].
pub fn gaps(a: i64, b: i64, ux: i64, uy: i64) -> Result<Vec<i64>> {
    let most = a * ux + b * uy;
    let reached = |g: i64| (0..=ux.min(g / a)).any(|x| (g - a * x) % b == 0 && (g - a * x) / b <= uy);
    room::collected((0..=most).filter(|&g| !reached(g)))
}

/// A system that brings missing elements back: `v` fixed and z in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// The value of `(alpha x + beta y) / d`.
    pub v: i64,
    /// Least z.
    pub least: i64,
    /// Greatest z.
    pub greatest: i64,
}

/// The recursive cuts of a box `0..=ux, 0..=uy, 0..=uz`.
#[derive(Clone, Debug)]
pub struct RecursiveCuts {
    plane: (i64, i64),
    upper: (i64, i64, i64),
    /// The step of the second cut: v less by the first, z more by the second.
    step: (i64, i64),
    /// The systems for the missing points.
    pub systems: Vec<System>,
}

impl RecursiveCuts {
    /// The cuts for positive coefficients. Errors as for [`gaps`].
    pub fn new((alpha, beta, gamma): (i64, i64, i64), (ux, uy, uz): (i64, i64, i64)) -> Result<Self> {
        let d = gcd(alpha, beta);
        let (a, b) = (alpha / d, beta / d);
        let e = gcd(d, gamma);
        let (down, up) = (gamma / e, d / e);
        let most = a * ux + b * uy;
        let empty = gaps(a, b, ux, uy)?;
        let mut systems = Vec::new();
        for &g in &empty {
            // The nearest reached value above the gap, at a z that the box has.
            let feasible =
                |q: &i64| g + down * q <= most && up * q <= uz && empty.binary_search(&(g + down * q)).is_err();
            if let Some(q) = (1..=uz).find(feasible) {
                let least = if g >= down { (uz - up * (q + 1) + 1).max(0) } else { 0 };
                room::push(&mut systems, System { v: g + down * q, least, greatest: uz - up * q })?;
            }
        }
        Ok(Self { plane: (a, b), upper: (ux, uy, uz), step: (down, up), systems })
    }

    /// Whether the location serves its element.
    pub fn keeps(&self, (x, y, z): (i64, i64, i64)) -> bool {
        let ((a, b), (_, uy, uz)) = (self.plane, self.upper);
        if x >= b && y <= uy - a {
            return false;
        }
        let v = a * x + b * y;
        let second = v < self.step.0 || z > uz - self.step.1;
        second || self.systems.iter().any(|s| s.v == v && (s.least..=s.greatest).contains(&z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use testkit::Random;

    fn count(coef: (i64, i64, i64), upper: (i64, i64, i64)) -> BTreeMap<i64, usize> {
        let cuts = RecursiveCuts::new(coef, upper).unwrap();
        let mut kept = BTreeMap::new();
        for x in 0..=upper.0 {
            for y in 0..=upper.1 {
                for z in 0..=upper.2 {
                    *kept.entry(coef.0 * x + coef.1 * y + coef.2 * z).or_default() +=
                        usize::from(cuts.keeps((x, y, z)));
                }
            }
        }
        kept
    }

    #[test]
    fn the_gaps_of_three_and_five() {
        assert_eq!(gaps(3, 5, 15, 4).unwrap(), [1, 2, 4, 7, 58, 61, 63, 64]);
    }

    #[test]
    fn no_element_is_lost_or_kept_twice() {
        assert!(count((3, 5, 19), (15, 4, 2)).values().all(|&n| n == 1));
        assert!(count((6, 4, 22), (0, 6, 1)).values().all(|&n| n == 1));
        let mut wrong = Vec::new();
        for mut random in testkit::seeds_from(11, 4000).map(Random::new) {
            let (coef, upper) = (
                (random.between(1, 9), random.between(1, 9), random.between(1, 25)),
                (random.between(0, 8), random.between(0, 8), random.between(0, 4)),
            );
            if count(coef, upper).values().any(|&n| n != 1) {
                wrong.push((coef, upper));
            }
        }
        wrong.sort_by_key(|(c, u)| c.0 + c.1 + c.2 + u.0 + u.1 + u.2);
        assert!(wrong.is_empty(), "{} wrong: {:?}", wrong.len(), &wrong[..wrong.len().min(5)]);
    }
}
