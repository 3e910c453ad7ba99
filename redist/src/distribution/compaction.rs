//! Compaction: replaces the data variables of one array dimension by fewer ones that hold the same elements once.

use crate::distribution::{Dimension, Kind, Variable};
use crate::error::{Error, Result};
use crate::integer::number::{gcd, narrow};

/// Data variables as `(coefficient, count)` pairs and a base: `base + sum coefficient * i`, `0 <= i < count`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// The element of all zero indices.
    pub base: i64,
    /// The variables, by ascending coefficient.
    pub parts: Vec<(i64, i64)>,
    /// Number of locations: the product of the counts.
    pub card: i64,
    /// Elements that the original does not hold may be included, as in the paper's definition. They must not be served.
    pub superset: bool,
}

/// Maximum span, in elements, for the exhaustive search over one or two variables.
const SEARCHED: i64 = 96;

/// Minimises the number of locations, then of variables, that hold the elements of `parts`; exactly those elements
/// unless `superset` allows others.
pub fn compact(base: i64, parts: &[(i64, i64)], superset: bool) -> Result<Compaction> {
    let overflow = || Error::overflow("compact", "the span of the data variables");
    let whole = |v: i128| narrow(v).filter(|&v| v.abs() < 1 << 32).ok_or_else(overflow);
    let mut low = i128::from(base);
    let mut rest = Vec::new();
    for &(c, n) in parts {
        if n < 1 {
            return Err(Error::new("compact", "a data variable has no value", "there is nothing to compact"));
        }
        if c != 0 && n > 1 {
            let reach = i128::from(c) * i128::from(n - 1);
            low += reach.min(0);
            rest.push((whole(i128::from(c).abs())?, n));
        }
    }
    rest.sort_unstable();
    let base = narrow(low).ok_or_else(overflow)?;
    let elements = sums(&rest, whole)?;
    let span = elements.len() as i64 - 1;
    let distinct = elements.iter().filter(|&&e| e).count() as i64;
    let step = rest.iter().fold(0, |g, p| gcd(g, p.0)).max(1);
    let full = span / step + 1;
    let mut found = Compaction { base, card: rest.iter().map(|p| p.1).product(), parts: rest.clone(), superset: false };
    merge(&mut found);
    if full == distinct || (superset && (full, 1) < (found.card, found.parts.len())) {
        let parts = if full == 1 { Vec::new() } else { vec![(step, full)] };
        found = Compaction { base, parts, card: full, superset: full != distinct };
    }
    if span <= SEARCHED && found.card > distinct {
        search(&mut found, &elements, distinct, superset, base);
    }
    Ok(found)
}

/// Which of 0..=span are sums.
fn sums(parts: &[(i64, i64)], whole: impl Fn(i128) -> Result<i64>) -> Result<Vec<bool>> {
    let span: i128 = parts.iter().map(|&(c, n)| i128::from(c) * i128::from(n - 1)).sum();
    let mut reached = vec![false; whole(span)? as usize + 1];
    reached[0] = true;
    let mut end = 0;
    for &(c, n) in parts {
        let (c, mut rest) = (c as usize, n - 1);
        // Doubling: after steps of 1, 2, 4, .. all multiples below the count are set.
        let mut step = 1;
        while rest > 0 {
            let now = step.min(rest);
            let shift = c * now as usize;
            for i in (0..=end).rev() {
                if reached[i] {
                    reached[i + shift] = true;
                }
            }
            end += shift;
            rest -= now;
            step *= 2;
        }
    }
    Ok(reached)
}

/// Merges pairs that are dense together, as in the paper's Figure 8: a step within the reach of a finer variable.
fn merge(found: &mut Compaction) {
    loop {
        let parts = &found.parts;
        let pairs = (0..parts.len()).flat_map(|i| (0..parts.len()).map(move |j| (i, j)));
        let dense = |&(i, j): &(usize, usize)| {
            let ((a, n), (b, _)) = (parts[i], parts[j]);
            i != j && b % a == 0 && b / a <= n
        };
        let Some((i, j)) = pairs.into_iter().find(dense) else { break };
        let ((a, n), (b, m)) = (parts[i], parts[j]);
        let mut next: Vec<(i64, i64)> = (0..parts.len()).filter(|&k| k != i && k != j).map(|k| parts[k]).collect();
        next.push((a, n + b / a * (m - 1)));
        next.sort_unstable();
        found.parts = next;
    }
    found.card = found.parts.iter().map(|p| p.1).product();
}

/// Searches all pairs of variables over a short span.
fn search(found: &mut Compaction, elements: &[bool], distinct: i64, superset: bool, base: i64) {
    let span = elements.len() as i64 - 1;
    let reach = if superset { 2 * span } else { span };
    for a in 1..=reach {
        for n in 2..=found.card.min(reach / a + 1) {
            for b in a + 1..=reach {
                for m in 2..=(found.card / n).min(reach / b + 1) {
                    if n * m < distinct || (n * m, 2) >= (found.card, found.parts.len()) {
                        continue;
                    }
                    let end = a * (n - 1) + b * (m - 1);
                    if end < span || (!superset && end != span) {
                        continue;
                    }
                    let mut held = vec![false; end as usize + 1];
                    (0..n).for_each(|i| (0..m).for_each(|j| held[(a * i + b * j) as usize] = true));
                    let covers = |from: i64| (0..=span).all(|e| !elements[e as usize] || held[(e + from) as usize]);
                    let Some(from) = (0..=end - span).find(|&f| covers(f)) else { continue };
                    let count = held.iter().filter(|&&h| h).count() as i64;
                    if superset || count == distinct {
                        let parts = vec![(a, n), (b, m)];
                        *found = Compaction { base: base - from, parts, card: n * m, superset: count != distinct };
                    }
                }
            }
        }
    }
}

/// The dimension with compacted data variables, if their bounds are constant and no other bound uses them. New
/// variables derive their names from the first old one. `None`: compaction gains nothing.
pub fn compact_dimension(dimension: &Dimension, superset: bool) -> Result<Option<(Dimension, Compaction)>> {
    let mut parts = Vec::new();
    let mut base = i128::from(dimension.offset.constant);
    let data: Vec<&Variable> = dimension.variables.iter().filter(|v| v.kind == Kind::Data).collect();
    for v in &data {
        let (Some(lo), Some(hi)) = (constant(&v.lower, true), constant(&v.upper, false)) else { return Ok(None) };
        let width = narrow(i128::from(hi) - i128::from(lo) + 1).ok_or_else(|| Error::overflow(&v.name, "the width"))?;
        if width < 1 {
            return Ok(None);
        }
        parts.push((v.coef, width));
        base += i128::from(v.coef) * i128::from(lo);
    }
    let uses = |v: &Variable| {
        let terms = v.lower.iter().chain(&v.upper).flat_map(|b| &b.affine.terms);
        terms.into_iter().any(|(n, _)| data.iter().any(|d| d.name == *n))
    };
    if data.is_empty() || dimension.variables.iter().any(uses) {
        return Ok(None);
    }
    let base = narrow(base).ok_or_else(|| Error::overflow("offset", "the origin"))?;
    let found = compact(base, &parts, superset)?;
    let before: i128 = parts.iter().map(|p| i128::from(p.1)).product();
    if i128::from(found.card) == before && found.parts.len() == parts.len() {
        return Ok(None);
    }
    let mut next = dimension.clone();
    next.offset.constant = found.base;
    next.variables.retain(|v| v.kind == Kind::Arch);
    for (k, &(coef, count)) in found.parts.iter().enumerate() {
        let name = if k == 0 { data[0].name.clone() } else { format!("{}_{k}", data[0].name) };
        next.variables.push(Variable::data(&name, coef, 0, count - 1).at(&data[0].level));
    }
    Ok(Some((next, found)))
}

fn constant(bounds: &[crate::distribution::Bound], lower: bool) -> Option<i64> {
    let one = |b: &crate::distribution::Bound| {
        let c = b.affine.constant;
        let q = if lower { -(-c).div_euclid(b.divisor) } else { c.div_euclid(b.divisor) };
        b.affine.terms.is_empty().then_some(q)
    };
    let all: Option<Vec<i64>> = bounds.iter().map(one).collect();
    all.and_then(|v| if lower { v.into_iter().max() } else { v.into_iter().min() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    fn shape(parts: &[(i64, i64)], superset: bool) -> (i64, usize) {
        let c = compact(0, parts, superset).unwrap();
        (c.card, c.parts.len())
    }

    #[test]
    fn the_figures_of_the_paper() {
        assert_eq!(shape(&[(1, 6), (2, 4), (12, 5), (100, 3)], false), (180, 2));
        assert_eq!(shape(&[(1, 10), (2, 50)], false), (108, 1));
    }

    #[test]
    fn a_superset_is_only_taken_on_request_and_marked() {
        let parts = [(2, 5), (3, 3)];
        assert_eq!(shape(&parts, true), (15, 1));
        assert!(compact(0, &parts, true).unwrap().superset);
        assert!(!compact(0, &parts, false).unwrap().superset);
    }

    #[test]
    fn the_elements_stay_the_same() {
        let set = |base: i64, parts: &[(i64, i64)]| {
            let mut all = std::collections::BTreeSet::from([base]);
            for &(c, n) in parts {
                all = all.iter().flat_map(|t| (0..n).map(move |k| t + c * k)).collect();
            }
            all
        };
        for mut random in testkit::seeds_from(3, 300).map(Random::new) {
            let parts: Vec<(i64, i64)> =
                (0..=random.between(0, 3)).map(|_| (random.between(-9, 9), random.between(1, 5))).collect();
            let base = random.between(-4, 4);
            let c = compact(base, &parts, false).unwrap();
            assert_eq!(set(c.base, &c.parts), set(base, &parts), "{base} {parts:?} {c:?}");
            assert!(c.card <= parts.iter().map(|p| p.1).product());
        }
    }
}
