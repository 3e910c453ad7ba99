//! Test sets: the conformally minimal vectors of a lattice kernel, and the cuts that they make in a domain.
//!
//! Let K be the integer vectors v with `alpha . v = 0` in every dimension. A location a of domain D is kept exactly
//! when no lexicographically negative v of the test set G leads to another location a + v of D. Why one copy stays:
//! the difference of two copies of an element is a sum of vectors of G that agree with it in the sign of every
//! coordinate and of every bound's slack; one of them is negative, and adding it to the larger copy stays between
//! the two in every bound, hence in D.

use crate::distribution::domain::{Domain, Form};
use crate::error::Result;
use crate::room;
use std::cmp::{Ordering, Reverse};

/// More kernel vectors than this are not enumerated.
pub const MOST_VECTORS: usize = 200_000;

/// The cuts of a domain: which copies the selection drops.
#[derive(Clone, Debug)]
pub struct Cuts {
    /// The domain.
    pub domain: Domain,
    /// The vectors; a location is dropped when it plus one of them is in the domain.
    pub vectors: Vec<Vec<i64>>,
}

/// A box: least and greatest value of each coordinate.
pub type Interval = Vec<(i64, i64)>;

impl Cuts {
    /// The cuts that keep the lexicographically smallest copy, or the `last` one; `None` when the kernel is too large.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn of_domain(domain: &Domain, last: bool) -> Result<Option<Self>> {
        if domain.empty.is_some() {
            return Ok(Some(Self { domain: domain.clone(), vectors: Vec::new() }));
        }
        let widths: Vec<Option<i64>> = domain.bounding.iter().map(|(l, h)| Some(h - l)).collect();
        let wanted = if last { Ordering::Greater } else { Ordering::Less };
        let found = test_set(&domain.coef, &domain.dimension, &widths, &coupling(domain))?;
        Ok(found.map(|mut vectors| {
            vectors.retain(|v| v.iter().find(|&&x| x != 0).map(|x| x.cmp(&0)) == Some(wanted));
            Self { domain: domain.clone(), vectors }
        }))
    }

    /// Whether the location `at`, which is in the domain, is the one that serves its element.
    pub fn keeps(&self, at: &[i64]) -> bool {
        let mut moved = at.to_vec();
        !self.vectors.iter().any(|v| {
            moved.iter_mut().zip(at).zip(v).for_each(|((m, a), x)| *m = a + x);
            self.domain.contains(&moved)
        })
    }

    /// The kept locations as disjoint boxes; `None` when a bound is not constant or there would be more than `most`.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn boxes(&self, most: usize) -> Result<Option<Vec<Interval>>> {
        if !self.domain.is_box() {
            return Ok(None);
        }
        if self.domain.empty.is_some() {
            return Ok(Some(Vec::new()));
        }
        let whole = &self.domain.bounding;
        let cut = |v: &Vec<i64>| room::collected(whole.iter().zip(v).map(|(&(l, h), &x)| (l.max(l - x), h.min(h - x))));
        let all: Vec<Interval> = room::tried(self.vectors.iter().map(cut))?;
        let within = |a: &Interval, b: &Interval| a.iter().zip(b).all(|(x, y)| y.0 <= x.0 && x.1 <= y.1);
        let volume = |c: &Interval| c.iter().map(|(l, h)| i128::from(h - l + 1)).product::<i128>();
        let outer = all.iter().enumerate().filter(|(_, c)| !all.iter().any(|d| d != *c && within(c, d)));
        let mut order = room::collected(outer.map(|(k, c)| (Reverse(volume(c)), k)))?;
        order.sort_unstable();
        let mut boxes = room::list(1)?;
        boxes.push(room::copied(whole)?);
        for (_, k) in order {
            let mut rest = Vec::new();
            for whole in &boxes {
                room::extend(&mut rest, subtract(whole, &all[k])?)?;
            }
            boxes = rest;
            if boxes.len() > most {
                return Ok(None);
            }
        }
        Ok(Some(boxes))
    }
}

/// A box without another, as disjoint boxes.
///
/// # Errors
/// [`crate::Error::is_no_memory`].
pub fn subtract(from: &Interval, cut: &Interval) -> Result<Vec<Interval>> {
    let common: Interval = from.iter().zip(cut).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1))).collect();
    let (mut rest, mut found) = (room::copied(from)?, Vec::new());
    if common.iter().any(|(l, h)| l > h) {
        room::push(&mut found, rest)?;
        return Ok(found);
    }
    for (k, &(l, h)) in common.iter().enumerate() {
        for (a, b) in [(rest[k].0, l - 1), (h + 1, rest[k].1)] {
            if a <= b {
                let mut piece = room::copied(&rest)?;
                piece[k] = (a, b);
                room::push(&mut found, piece)?;
            }
        }
        rest[k] = (l, h);
    }
    Ok(found)
}

/// The rows whose slack must not change sign: bounds that use other variables.
pub fn coupling(domain: &Domain) -> Vec<Vec<i64>> {
    let mut rows: Vec<Vec<i64>> = Vec::new();
    for i in 0..domain.len() {
        for f in domain.lower[i].iter().chain(&domain.upper[i]) {
            rows.extend(row(f, i, domain.len()).filter(|r| !rows.contains(r)));
        }
    }
    rows
}

fn row(f: &Form, i: usize, n: usize) -> Option<Vec<i64>> {
    let mut row = vec![0; n];
    f.terms.iter().for_each(|&(k, c)| row[k] += c);
    row[i] -= f.divisor;
    (!f.terms.is_empty()).then_some(row)
}

/// The conformally minimal kernel vectors, with |v_i| at most the widths (`None`: unknown width).
/// `rows` are further linear forms in whose sign the parts of a sum must agree. `None`: too many to enumerate.
///
/// # Errors
/// [`crate::Error::is_no_memory`].
pub fn test_set(
    coef: &[i64],
    dimension: &[usize],
    widths: &[Option<i64>],
    rows: &[Vec<i64>],
) -> Result<Option<Vec<Vec<i64>>>> {
    let dims = dimension.iter().max().map_or(0, |d| d + 1);
    // A row that is a multiple of the coefficients in every dimension is constant on the kernel.
    let idle = |row: &Vec<i64>| {
        (0..dims).all(|j| {
            let of: Vec<usize> = (0..coef.len()).filter(|&i| dimension[i] == j).collect();
            let cross = |a: usize, b: usize| {
                i128::from(row[a]) * i128::from(coef[b]) == i128::from(row[b]) * i128::from(coef[a])
            };
            of.iter().all(|&a| of.iter().all(|&b| cross(a, b)) && (coef[a] != 0 || row[a] == 0))
        })
    };
    let rows: Vec<&Vec<i64>> = rows.iter().filter(|r| !idle(r)).collect();
    // Dimensions that no row links have independent kernels.
    let mut group: Vec<usize> = (0..dims).collect();
    for row in &rows {
        let linked: Vec<usize> = (0..coef.len()).filter(|&i| row[i] != 0).map(|i| group[dimension[i]]).collect();
        let least = linked.iter().copied().min().unwrap_or(0);
        group.iter_mut().filter(|g| linked.contains(g)).for_each(|g| *g = least);
    }
    let mut minimal = Vec::new();
    for g in 0..dims {
        let of: Vec<usize> = (0..coef.len()).filter(|&i| group[dimension[i]] == g).collect();
        let sub = |v: &[i64]| of.iter().map(|&i| v[i]).collect::<Vec<i64>>();
        let own: Vec<Vec<i64>> = rows.iter().map(|r| sub(r)).filter(|r| r.iter().any(|&c| c != 0)).collect();
        let dimension: Vec<usize> = of.iter().map(|&i| dimension[i]).collect();
        let widths: Vec<Option<i64>> = of.iter().map(|&i| widths[i]).collect();
        let Some(found) = group_test_set(&sub(coef), &dimension, &widths, &own)? else { return Ok(None) };
        for v in found {
            let mut whole = room::filled(0, coef.len())?;
            of.iter().zip(v).for_each(|(&i, x)| whole[i] = x);
            room::push(&mut minimal, whole)?;
        }
    }
    Ok(Some(minimal))
}

/// The test set of dimensions that rows link (or of a single one).
fn group_test_set(
    coef: &[i64],
    dimension: &[usize],
    widths: &[Option<i64>],
    rows: &[Vec<i64>],
) -> Result<Option<Vec<Vec<i64>>>> {
    let mut dims: Vec<usize> = dimension.to_vec();
    dims.sort_unstable();
    dims.dedup();
    let known = widths.iter().all(Option::is_some);
    let reach = if rows.is_empty() || known { None } else { circuit_bound(coef, dimension, rows) };
    if reach.is_none() && !rows.is_empty() && !known {
        return Ok(None);
    }
    let mut kernel: Vec<Vec<i64>> = room::tried([room::filled(0, coef.len())])?;
    for j in dims {
        let of: Vec<usize> = (0..coef.len()).filter(|&i| dimension[i] == j).collect();
        let width = |&i: &usize| {
            // A minimal vector of one equation has no coordinate beyond the largest other coefficient.
            let others = of.iter().filter(|&&k| k != i).map(|&k| coef[k].abs()).max().unwrap_or(0);
            let primitive = if coef[i] == 0 { 1 } else { others };
            let most = if rows.is_empty() { primitive } else { reach.as_ref().map_or(i64::MAX, |r| r[i]) };
            widths[i].unwrap_or(i64::MAX).min(most)
        };
        let (own, most): (Vec<i64>, Vec<i64>) = of.iter().map(|i| (coef[*i], width(i))).unzip();
        let Some(part) = kernel_box(&own, &most)? else { return Ok(None) };
        if kernel.len().checked_mul(part.len()).is_none_or(|n| n > MOST_VECTORS) {
            return Ok(None);
        }
        let sum = |a: &Vec<i64>, v: &Vec<i64>| {
            let mut sum = room::copied(a)?;
            of.iter().zip(v).for_each(|(&i, &x)| sum[i] += x);
            Ok(sum)
        };
        kernel = room::tried(kernel.iter().flat_map(|a| part.iter().map(move |v| sum(a, v))))?;
    }
    conformally_minimal(kernel, &rows.iter().collect::<Vec<_>>()).map(Some)
}

/// More choices of forms than this are not tried for circuits.
const MOST_CIRCUITS: usize = 50_000;

/// A bound of each coordinate of a minimal vector when widths are not known. A minimal vector is a sum of at most as
/// many circuits as the kernel has dimensions, with coefficients below 1; a circuit is a kernel vector on which as
/// many coordinates and rows as possible are 0.
fn circuit_bound(coef: &[i64], dimension: &[usize], rows: &[Vec<i64>]) -> Option<Vec<i64>> {
    let n = coef.len();
    let unit = |i: usize| (0..n).map(|k| i128::from(k == i)).collect::<Vec<i128>>();
    let wide = |r: &Vec<i64>| r.iter().map(|&c| i128::from(c)).collect::<Vec<i128>>();
    let mut dims: Vec<usize> = (0..n).filter(|&i| coef[i] != 0).map(|i| dimension[i]).collect();
    dims.sort_unstable();
    dims.dedup();
    let equation = |&j: &usize| (0..n).map(|i| if dimension[i] == j { coef[i].into() } else { 0 }).collect();
    let equations: Vec<Vec<i128>> = dims.iter().map(equation).collect();
    let forms: Vec<Vec<i128>> = (0..n).map(unit).chain(rows.iter().map(wide)).collect();
    let free = n - equations.len();
    if free == 0 {
        return Some(vec![0; n]);
    }
    let mut chosen: Vec<usize> = (0..free - 1).collect();
    let (mut bound, mut tried) = (vec![0_i128; n], 0);
    loop {
        let system = equations.iter().chain(chosen.iter().map(|&f| &forms[f])).cloned().collect();
        if let Some(v) = direction(system, n)? {
            bound.iter_mut().zip(v).for_each(|(b, x)| *b = (*b).max(x.abs() * free as i128));
        }
        tried += 1;
        if tried > MOST_CIRCUITS {
            return None;
        }
        let m = chosen.len();
        let Some(k) = (0..m).rev().find(|&k| chosen[k] < forms.len() - m + k) else { break };
        chosen[k] += 1;
        for l in k + 1..m {
            chosen[l] = chosen[l - 1] + 1;
        }
    }
    bound.into_iter().map(crate::integer::number::narrow).collect()
}

/// The primitive vector that spans the kernel of a system, when that is a line. Outer `None`: overflow.
#[allow(clippy::option_option)]
fn direction(mut rows: Vec<Vec<i128>>, n: usize) -> Option<Option<Vec<i128>>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..n {
        let rank = pivots.len();
        let Some(p) = (rank..rows.len()).find(|&r| rows[r][column] != 0) else { continue };
        rows.swap(rank, p);
        let pivot = rows[rank].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(r, row)| *r != rank && row[column] != 0) {
            let (a, b) = (pivot[column], row[column]);
            let mut g = 0;
            for (x, &y) in row.iter_mut().zip(&pivot) {
                *x = x.checked_mul(a)?.checked_sub(y.checked_mul(b)?)?;
                g = wide_gcd(g, *x);
            }
            row.iter_mut().filter(|_| g > 1).for_each(|x| *x /= g);
        }
        pivots.push(column);
    }
    if pivots.len() + 1 != n {
        return Some(None);
    }
    let open = (0..n).find(|c| !pivots.contains(c))?;
    // x_pivot = -row[open] / row[pivot] * x_open, with x_open the least common multiple of the denominators.
    let mut scale: i128 = 1;
    for (row, &p) in rows.iter().zip(&pivots) {
        let d = row[p] / wide_gcd(row[p], row[open]);
        scale = scale.checked_mul(d / wide_gcd(scale, d))?;
    }
    let mut v = vec![0; n];
    v[open] = scale;
    for (row, &p) in rows.iter().zip(&pivots) {
        v[p] = -row[open].checked_mul(scale)? / row[p];
    }
    Some(Some(v))
}

fn wide_gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs().max(1)
}

/// All v with coef . v = 0 and |v_i| <= widths_i, the zero vector among them; the widest variable is solved for.
fn kernel_box(coef: &[i64], widths: &[i64]) -> Result<Option<Vec<Vec<i64>>>> {
    let solvable = (0..coef.len()).filter(|&i| coef[i] != 0);
    let Some(last) = solvable.max_by_key(|&i| widths[i]) else {
        return all_in_box(widths);
    };
    let others: Vec<usize> = (0..coef.len()).filter(|&i| i != last).collect();
    let steps = others.iter().try_fold(1_i64, |p, &i| p.checked_mul(2 * widths[i] + 1));
    if steps.is_none_or(|s| s > 1 << 22) {
        return Ok(None);
    }
    let (mut found, mut at) = (Vec::new(), others.iter().map(|&i| -widths[i]).collect::<Vec<i64>>());
    loop {
        let sum: i128 = others.iter().zip(&at).map(|(&i, &x)| i128::from(coef[i]) * i128::from(x)).sum();
        let (q, r) = (-sum / i128::from(coef[last]), sum % i128::from(coef[last]));
        if r == 0 && q.abs() <= widths[last].into() {
            let mut v = room::filled(0, coef.len())?;
            others.iter().zip(&at).for_each(|(&i, &x)| v[i] = x);
            v[last] = q as i64;
            room::push(&mut found, v)?;
            if found.len() > MOST_VECTORS {
                return Ok(None);
            }
        }
        let Some(k) = (0..at.len()).rev().find(|&k| at[k] < widths[others[k]]) else { return Ok(Some(found)) };
        at[k] += 1;
        for n in k + 1..at.len() {
            at[n] = -widths[others[n]];
        }
    }
}

fn all_in_box(widths: &[i64]) -> Result<Option<Vec<Vec<i64>>>> {
    let count = widths.iter().try_fold(1_i64, |p, &w| p.checked_mul(2 * w + 1));
    if count.is_none_or(|c| c > MOST_VECTORS as i64) {
        return Ok(None);
    }
    let mut found: Vec<Vec<i64>> = room::lists(1)?;
    for &w in widths {
        let longer = |v: &Vec<i64>, x: i64| room::collected(v.iter().copied().chain([x]));
        found = room::tried(found.iter().flat_map(|v| (-w..=w).map(move |x| longer(v, x))))?;
    }
    Ok(Some(found))
}

/// The nonzero vectors that are not a sum of two others of the same signs (in coordinates and rows).
fn conformally_minimal(vectors: Vec<Vec<i64>>, rows: &[&Vec<i64>]) -> Result<Vec<Vec<i64>>> {
    let extend = |v: Vec<i64>| {
        let slack = rows.iter().map(|r| r.iter().zip(&v).map(|(a, b)| a * b).sum::<i64>());
        let extended = room::collected(v.iter().copied().chain(slack))?;
        Ok((extended.iter().map(|x| x.unsigned_abs()).sum::<u64>(), extended, v))
    };
    let mut all: Vec<(u64, Vec<i64>, Vec<i64>)> = room::tried(vectors.into_iter().map(extend))?;
    all.retain(|e| e.0 > 0);
    all.sort_unstable();
    let part_of =
        |u: &[i64], v: &[i64]| u.iter().zip(v).all(|(&a, &b)| a == 0 || (a > 0 && b >= a) || (a < 0 && b <= a));
    let mut minimal: Vec<(Vec<i64>, Vec<i64>)> = Vec::new();
    for (_, extended, v) in all {
        if !minimal.iter().any(|(u, _)| part_of(u, &extended)) {
            room::push(&mut minimal, (extended, v))?;
        }
    }
    room::collected(minimal.into_iter().map(|(_, v)| v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::{Dimension, Distribution, Parameters, Variable};

    fn domain(coef: &[i64], upper: &[i64]) -> Domain {
        let names = ["x", "y", "z", "w"];
        let variables = coef.iter().zip(upper).zip(names).map(|((&c, &u), n)| Variable::data(n, c, 0, u)).collect();
        let dimensions = vec![Dimension { offset: 0.into(), variables }];
        Domain::new(&Distribution { dimensions, layout: None }, &Parameters::new()).unwrap()
    }

    #[test]
    fn three_strides_need_four_vectors_and_three_boxes() {
        let cuts = Cuts::of_domain(&domain(&[3, 5, 19], &[15, 4, 2]), false).unwrap().unwrap();
        let mut vectors = cuts.vectors.clone();
        vectors.sort();
        assert_eq!(vectors, [[-11, -1, 2], [-8, 1, 1], [-5, 3, 0], [-3, -2, 1]]);
        let boxes = cuts.boxes(32).unwrap().unwrap();
        let volume: i64 = boxes.iter().map(|b| b.iter().map(|(l, h)| h - l + 1).product::<i64>()).sum();
        assert_eq!((boxes.len(), volume), (3, 96));
    }

    #[test]
    fn two_strides_are_the_cutting_planes() {
        for (last, kept) in [(false, [(0, 1, 0, 12), (2, 7, 8, 12)]), (true, [(6, 7, 0, 12), (0, 5, 0, 4)])] {
            let cuts = Cuts::of_domain(&domain(&[5, 2], &[7, 12]), last).unwrap().unwrap();
            for x in 0..=7 {
                for y in 0..=12 {
                    let inside = kept.iter().any(|&(a, b, c, d)| (a..=b).contains(&x) && (c..=d).contains(&y));
                    assert_eq!(cuts.keeps(&[x, y]), inside, "{last} {x} {y}");
                }
            }
        }
    }
}
