//! ISolve: the general integer solution of `sum delta_i x_i = right`, lower triangular in its free variables.
//!
//! With `D_i = gcd(delta_{i+1} .. delta_m)` and `g = D_0`: x_1 must solve `(delta_1/g) x_1 = right/g` modulo `D_1/g`,
//! so `x_1 = c_1 * rest_0 + (D_1/D_0) k_1`, where `rest_0 = right/g` and c_1 inverts `delta_1/D_0` modulo `D_1/D_0`.
//! The same problem remains for x_2 .. x_m with `rest_1 = (rest_0 D_0 - delta_1 x_1) / D_1`, which is again an integer
//! form in rest_0 and k_1. The last variable with a coefficient takes the rest. Strides `d_i = D_i/D_{i-1}` and the
//! sharing of the last free variable are those of the paper's Equation 5; its last column, its assumption `g = 1` and
//! its right-hand side 1 for the inner particular solutions are corrected.

use crate::error::Result;
use crate::integer::affine::AffineForm;
use crate::integer::number::{extended_gcd, gcd};

/// The general solution of one equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// Each x in the given order, over the counters `first .. first + free` and the columns of `rest`.
    pub x: Vec<AffineForm>,
    /// Number of free variables.
    pub free: usize,
}

/// The greatest common divisor of the coefficients; 0 when all are 0.
pub fn divisor(delta: &[i64]) -> i64 {
    delta.iter().fold(0, |g, &d| gcd(g, d))
}

/// Solves `sum delta_i x_i = divisor(delta) * rest`. `counter` maps the i-th free variable to its index among all
/// counters.
pub fn isolve(delta: &[i64], rest: &AffineForm, counter: impl Fn(usize) -> usize) -> Result<Solution> {
    let mut rest = rest.clone();
    let (mut x, mut free) = (Vec::with_capacity(delta.len()), 0);
    let mut before = divisor(delta);
    for (i, &d) in delta.iter().enumerate() {
        let after = divisor(&delta[i + 1..]);
        let mut own = AffineForm::constant(rest.counter.len(), rest.parameter.len(), 0);
        if before != 0 && after == 0 {
            // The last variable with a non-zero coefficient takes the rest.
            x.push(rest.times(before / d)?);
            rest = own;
        } else {
            let stride = if before == 0 { 1 } else { after / before };
            let (step, inverse) = if before == 0 { (0, 0) } else { (d / before, inverse(d / before, stride)) };
            own.counter[counter(free)] = stride;
            free += 1;
            let value = own.plus(inverse, &rest)?;
            if before != 0 {
                // rest * before = d * x + after * rest', and d * x = d * inverse * rest + d * stride * k.
                let kept = (1 - i128::from(step) * i128::from(inverse)) / i128::from(stride);
                let mut k = AffineForm::constant(rest.counter.len(), rest.parameter.len(), 0);
                k.counter[counter(free - 1)] = 1;
                rest = rest.times(kept as i64)?.plus(-step, &k)?;
            }
            x.push(value);
        }
        before = after;
    }
    Ok(Solution { x, free })
}

/// The inverse of `a` modulo `m`: `a` itself if it is 1 or -1, so that nothing remains for the later variables;
/// otherwise the inverse of least magnitude, and 0 modulo 1.
fn inverse(a: i64, m: i64) -> i64 {
    if m == 1 {
        return 0;
    }
    if a.abs() == 1 {
        return a;
    }
    let m = i128::from(m);
    let x = extended_gcd(i128::from(a).rem_euclid(m), m).1.rem_euclid(m);
    (if 2 * x > m { x - m } else { x }) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    fn solve(delta: &[i64], right: i64) -> (Vec<AffineForm>, usize) {
        let g = divisor(delta);
        let free = if g == 0 { delta.len() } else { delta.len() - 1 };
        let rest = AffineForm::constant(free, 0, if g == 0 { 0 } else { right / g });
        let s = isolve(delta, &rest, |i| i).unwrap();
        assert_eq!(s.free, free);
        (s.x, free)
    }

    #[test]
    fn the_example_of_the_paper() {
        // pr, mr, ps, ms, cs, cr: 200 pr + 40 mr - 200 ps - 50 ms - 5 cs + 10 cr = 0.
        let (x, _) = solve(&[200, 40, -200, -50, -5, 10], 0);
        let rows: Vec<Vec<i64>> = x.into_iter().map(|r| r.counter).collect();
        assert_eq!(rows[..4], [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0]]);
        assert_eq!(rows[4..], [[40, 8, -40, -10, 2], [0, 0, 0, 0, 1]]);
    }

    #[test]
    fn every_solution_is_found_once() {
        for mut random in testkit::seeds_from(7, 2000).map(Random::new) {
            let m = random.between(1, 4) as usize;
            let delta: Vec<i64> =
                (0..m).map(|_| if random.between(0, 5) == 0 { 0 } else { random.between(-12, 12) }).collect();
            let point: Vec<i64> = (0..m).map(|_| random.between(-4, 4)).collect();
            let right: i64 = delta.iter().zip(&point).map(|(d, p)| d * p).sum();
            let (x, free) = solve(&delta, right);
            // Solve for the counters one after the other: the system is triangular, so they are unique integers.
            let mut k = vec![0; free];
            let mut known = vec![false; free];
            for (row, &p) in x.iter().zip(&point) {
                let new: Vec<usize> = (0..free).filter(|&i| row.counter[i] != 0 && !known[i]).collect();
                assert!(new.len() <= 1, "not triangular");
                let rest = i128::from(p) - row.value(&k, &[]);
                if let Some(&i) = new.first() {
                    assert_eq!(rest % i128::from(row.counter[i]), 0, "{delta:?} {point:?} is not met");
                    k[i] = (rest / i128::from(row.counter[i])) as i64;
                    known[i] = true;
                } else {
                    assert_eq!(rest, 0, "{delta:?} {point:?} is not met");
                }
            }
            // And every choice of counters is a solution.
            let any: Vec<i64> = (0..free).map(|_| random.between(-5, 5)).collect();
            let sum: i128 = delta.iter().zip(&x).map(|(&d, r)| i128::from(d) * r.value(&any, &[])).sum();
            assert_eq!(sum, right.into());
        }
    }
}
