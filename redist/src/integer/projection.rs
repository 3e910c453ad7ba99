//! Exact New_bounds: conditions on outer counters that hold where an integer point is inside.
//!
//! Counters are eliminated from a union of systems: first those that project exactly, then those that split it least.
//! The last one need not be eliminated: the existence of an integer between its bounds is itself a condition
//! ([`Between`]), which C writes with one division rounded up and one rounded down, for any coefficients. Conditions
//! implied by the convex bounds and the guards of outer counters are dropped.

use crate::error::Result;
use crate::integer::affine::AffineForm;
use crate::integer::condition::{Between, Context, Test, simpler};
use crate::integer::elimination::{Effort, eliminate, flat, reduce};
use crate::integer::omega::{MOST_PIECES, Piece, is_exact, project_exactly};

/// What outer counters must satisfy beyond their convex bounds to have a point inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The innermost known counter; `None`: only the parameters are known.
    pub level: Option<usize>,
    /// One of these must hold; empty: there is no point at all.
    pub tests: Vec<Test>,
}

impl Guard {
    /// Whether the guard admits these values.
    pub fn holds(&self, counters: &[i64], parameters: &[i64]) -> bool {
        self.tests.iter().any(|t| t.holds(counters, parameters))
    }
}

/// All guards of a loop nest, from the outermost level on.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    /// The guards that exclude something.
    pub list: Vec<Guard>,
    /// Levels whose exact projection takes too many systems: they, and levels within them, may visit values without a
    /// point inside.
    pub unknown: Vec<Option<usize>>,
}

/// Maximum number of conditions of a guard; longer ones are unreadable.
const MOST_CONDITIONS: usize = 64;

/// Effort, in pairs of rows, for one projection, and for simplifying all guards of a nest.
const PROJECTION: u64 = 100_000;
const SIMPLER: u64 = 200_000;

/// New_bounds (paper, section V.B), exactly: the values of the first `outer` counters and of the parameters for which
/// `rows` (each at least 0) have an integer point, as a union of systems without later counters. `None` if that takes
/// more than [`MOST_PIECES`] systems, or too many rows.
pub fn new_bounds(rows: &[AffineForm], outer: usize) -> Result<Option<Vec<Piece>>> {
    let Some(whole) = system(rows) else { return Ok(Some(Vec::new())) };
    let inner = (outer..whole.rows.first().map_or(outer, |r| r.counter.len())).collect();
    Ok(eliminate(vec![whole], inner, 0, &mut Effort(PROJECTION))?.map(|(pieces, _)| pieces))
}

/// The guards for each level of a nest except the innermost, which its bounds describe exactly. `rows` are the nest's
/// inequalities, `bounds` the rows that its loops satisfy (see [`crate::integer::affine::outer_bounds`]).
pub fn guards(rows: &[AffineForm], bounds: &[AffineForm], counters: usize) -> Guards {
    let mut guards = Guards::default();
    let Some(whole) = system(rows) else {
        guards.list.push(Guard { level: None, tests: Vec::new() });
        return guards;
    };
    let mut effort = Effort(SIMPLER);
    for (own, rows) in parts(&whole.rows, counters) {
        part_guards(&rows, bounds, &own, &mut effort, &mut guards);
    }
    guards.list.sort_by_key(|g| g.level);
    guards.unknown.sort_unstable();
    guards.unknown.dedup();
    guards
}

/// Groups of counters that no row links, each with its rows: the projection is their product. Parameters link nothing,
/// since they are never projected out.
fn parts(rows: &[AffineForm], counters: usize) -> Vec<(Vec<usize>, Vec<AffineForm>)> {
    let mut group: Vec<usize> = (0..counters).collect();
    for row in rows {
        let used: Vec<usize> = (0..counters).filter(|&k| row.counter[k] != 0).map(|k| group[k]).collect();
        let Some(&to) = used.iter().min() else { continue };
        group.iter_mut().filter(|g| used.contains(g)).for_each(|g| *g = to);
    }
    let one = |to: usize| {
        let own: Vec<usize> = (0..counters).filter(|&k| group[k] == to).collect();
        let within = |r: &&AffineForm| r.last().is_some_and(|k| group[k] == to);
        (own, rows.iter().filter(within).cloned().collect())
    };
    (0..counters).filter(|&k| group[k] == k).map(one).collect()
}

/// Adds the guards for a group of linked counters.
fn part_guards(rows: &[AffineForm], bounds: &[AffineForm], own: &[usize], effort: &mut Effort, guards: &mut Guards) {
    // Parameters and counters are both unknowns: columns of one kind.
    let (counters, parameters) = rows.first().map_or((0, 0), |r| (r.counter.len(), r.parameter.len()));
    let whole = Piece { rows: rows.iter().map(flat).collect(), congruences: Vec::new() };
    let mut outer = Vec::new();
    for known in 0..own.len() {
        let level = known.checked_sub(1).map(|i| own[i]);
        let Some(tests) = tests(&whole, &own[known..], &mut Effort(PROJECTION)) else {
            guards.unknown.push(level);
            continue;
        };
        let seen = |r: &&AffineForm| (0..counters).all(|k| r.counter[k] == 0 || own[..known].contains(&k));
        let around = contexts(Context::new(counters + parameters, bounds.iter().filter(seen).map(flat)), &outer);
        if let Some(tests) = simpler(tests, &around, effort) {
            if tests.iter().map(Test::conditions).sum::<usize>() > MOST_CONDITIONS {
                guards.unknown.push(level);
                continue;
            }
            let back = |t: &Test| changed(t, |r| split(r, counters, parameters));
            guards.list.push(Guard { level, tests: tests.iter().map(back).collect() });
            if tests.is_empty() {
                break;
            }
            outer.push(tests);
        }
    }
}

/// The system of some rows; `None` if a constant row never holds.
fn system(rows: &[AffineForm]) -> Option<Piece> {
    let mut whole = Piece::default();
    rows.iter().all(|r| whole.demand(r.clone())).then_some(whole)
}

/// The inverse of [`flat`].
fn split(row: &AffineForm, counters: usize, parameters: usize) -> AffineForm {
    let parameter = row.counter[counters..counters + parameters].to_vec();
    AffineForm { counter: row.counter[..counters].to_vec(), parameter, constant: row.constant }
}

/// The same test with each row changed.
fn changed(test: &Test, change: impl Fn(&AffineForm) -> AffineForm) -> Test {
    let congruences = test.piece.congruences.iter().map(|(r, m)| (change(r), *m)).collect();
    let between = |b: &Between| Between { lower: change(&b.lower), upper: change(&b.upper), ..b.clone() };
    Test {
        piece: Piece { rows: test.piece.rows.iter().map(&change).collect(), congruences },
        between: test.between.iter().map(between).collect(),
    }
}

/// Maximum number of contexts to distinguish.
const MOST_CONTEXTS: usize = 16;

/// All combinations of the convex bounds with one test of each outer guard, up to a limit.
fn contexts(bounds: Option<Context>, outer: &[Vec<Test>]) -> Vec<Context> {
    let mut all: Vec<Context> = bounds.into_iter().collect();
    for tests in outer.iter().filter(|t| t.len() == 1).chain(outer.iter().filter(|t| t.len() > 1)) {
        if all.len() * tests.len() <= MOST_CONTEXTS {
            all = all.iter().flat_map(|c| tests.iter().filter_map(|t| c.with(t))).collect();
        }
    }
    all
}

/// The exact projection as tests: the fewest that some orders of elimination give.
fn tests(whole: &Piece, inner: &[usize], effort: &mut Effort) -> Option<Vec<Test>> {
    let mut reduced = whole.clone();
    let small = reduce(&mut reduced.rows, inner).is_ok();
    let mut best: Option<Vec<Test>> = None;
    // The last column to remain is the cheapest one, or a chosen one.
    for last in std::iter::once(None).chain(inner.iter().map(Some)) {
        for whole in [whole, &reduced].into_iter().take(1 + usize::from(small)) {
            if best.as_ref().is_some_and(|b| b.len() < 2) {
                return best;
            }
            // A column out of range, or too many systems: try another order.
            if let Ok(Some(next)) = tests_in_order(whole, inner, last, effort)
                && best.as_ref().is_none_or(|b| size(&next) < size(b))
            {
                best = Some(next);
            }
        }
    }
    best
}

/// The total number of conditions.
fn size(tests: &[Test]) -> usize {
    tests.iter().map(|t| 1 + t.conditions() + t.between.len()).sum()
}

/// Eliminates columns, except a last one that would split the systems.
fn tests_in_order(
    whole: &Piece,
    inner: &[usize],
    last: Option<&usize>,
    effort: &mut Effort,
) -> Result<Option<Vec<Test>>> {
    let first = inner.iter().copied().filter(|k| Some(k) != last).collect();
    let Some((pieces, mut left)) = eliminate(vec![whole.clone()], first, 1 - last.iter().count(), effort)? else {
        return Ok(None);
    };
    left.extend(last);
    let mut tests = Vec::new();
    for piece in pieces {
        let Some(&k) = left.first() else {
            tests.push(Test { piece, between: Vec::new() });
            continue;
        };
        let Some(piece) = piece.freed(k)? else { continue };
        if piece.congruences.iter().any(|(r, _)| r.counter[k] != 0) {
            let Some(parts) = project_exactly(&[piece], k)? else { return Ok(None) };
            tests.extend(parts.into_iter().map(|piece| Test { piece, between: Vec::new() }));
        } else {
            tests.extend(between(&piece, k)?);
        }
        if tests.len() > MOST_PIECES {
            return Ok(None);
        }
    }
    Ok(Some(tests))
}

/// The condition that an integer is between the bounds of column k: one exists if it does for each pair of a lower and
/// an upper bound.
fn between(piece: &Piece, k: usize) -> Result<Option<Test>> {
    let mut test =
        Test { piece: Piece { rows: Vec::new(), congruences: piece.congruences.clone() }, between: Vec::new() };
    let mut possible = true;
    for row in piece.rows.iter().filter(|r| r.counter[k] == 0) {
        possible &= test.piece.demand(row.clone());
    }
    for lower in piece.rows.iter().filter(|r| r.counter[k] > 0) {
        for upper in piece.rows.iter().filter(|r| r.counter[k] < 0) {
            let (least, most) = (lower.counter[k], -upper.counter[k]);
            possible &= test.piece.demand(lower.times(most)?.plus(least, upper)?);
            if !is_exact(lower, upper, k, 1) {
                let mut pair = Between { lower: lower.clone(), least, upper: upper.clone(), most };
                (pair.lower.counter[k], pair.upper.counter[k]) = (0, 0);
                test.between.push(pair);
            }
        }
    }
    Ok(possible.then_some(test))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::affine::outer_bounds;
    use testkit::Random;

    /// `from <= counter k <= to`.
    fn range(k: usize, from: i64, to: i64) -> [AffineForm; 2] {
        [(1, -from), (-1, to)].map(|(sign, constant)| {
            let mut row = AffineForm::constant(4, 1, constant);
            row.counter[k] = sign;
            row
        })
    }

    /// `sum c * counter + p * parameter + constant >= 0`.
    fn row(counter: [i64; 4], p: i64, constant: i64) -> AffineForm {
        AffineForm { counter: counter.to_vec(), parameter: vec![p], constant }
    }

    /// Random systems of four counters in a box: at each level, all values of the box.
    #[test]
    fn guards_and_new_bounds_are_exact() {
        let (mut told, mut spared, mut pieces_met) = (0, 0, 0);
        for mut random in testkit::seeds_from(61, 150).map(Random::new) {
            let mut rows: Vec<AffineForm> = (0..4).flat_map(|k| range(k, 0, 4)).collect();
            for _ in 0..random.between(2, 4) {
                rows.push(row([0; 4].map(|_| random.between(-5, 5)), random.between(-1, 1), random.between(-12, 12)));
            }
            let bounds = outer_bounds(&rows, 4, 120);
            let guards = guards(&rows, &bounds, 4);
            for parameter in [-3, 0, 5] {
                let mut inside = vec![std::collections::BTreeSet::new(); 4];
                let point = |code: i64| [code % 5, code / 5 % 5, code / 25 % 5, code / 125];
                for at in (0..625).map(point).filter(|at| rows.iter().all(|r| r.value(at, &[parameter]) >= 0)) {
                    for (outer, set) in inside.iter_mut().enumerate() {
                        set.insert(at[..outer].to_vec());
                    }
                }
                for (outer, inside) in inside.iter().enumerate() {
                    let exact = new_bounds(&rows, outer).unwrap();
                    pieces_met += exact.iter().map(Vec::len).sum::<usize>();
                    for code in 0..5_i64.pow(outer as u32) {
                        let mut at = point(code);
                        at[outer..].fill(0);
                        let expected = inside.contains(&at[..outer]);
                        if let Some(pieces) = &exact {
                            let found = pieces.iter().any(|p| p.holds(&at, &[parameter]));
                            assert_eq!(found, expected, "{at:?} up to {outer}, {parameter}: {rows:?}");
                        }
                        let seen = |r: &&AffineForm| r.last().is_none_or(|l| l < outer);
                        let bounded = bounds.iter().filter(seen).all(|r| r.value(&at, &[parameter]) >= 0);
                        let mut passed = guards.list.iter().filter(|g| g.level <= outer.checked_sub(1));
                        let passes = bounded && passed.all(|g| g.holds(&at, &[parameter]));
                        let known = guards.unknown.is_empty();
                        assert!(!expected || passes, "{at:?} up to {outer} is lost, {parameter}: {rows:?}");
                        assert!(!known || expected || !passes, "{at:?} up to {outer}, {parameter}: {rows:?}");
                        told += usize::from(known);
                        spared += usize::from(bounded && !passes);
                    }
                }
            }
        }
        println!("{told} values told, {spared} spared, {pieces_met} systems");
        assert!(
            testkit::selected() || told > 50_000 && spared > 100 && pieces_met > 1000,
            "{told}, {spared}, {pieces_met}"
        );
    }

    #[test]
    fn a_stride_becomes_one_condition() {
        // 3 k2 = k1 + 2 k0: the real shadow excludes nothing, but only a third of the values of k1 has a k2.
        let mut rows: Vec<AffineForm> = (0..2).flat_map(|k| range(k, 0, 9)).chain(range(3, 0, 0)).collect();
        rows.extend([row([2, 1, -3, 0], 0, 0), row([-2, -1, 3, 0], 0, 0)]);
        let guards = guards(&rows, &outer_bounds(&rows, 4, 120), 4);
        let [guard] = &guards.list[..] else { panic!("{guards:?}") };
        assert_eq!((guard.level, guard.tests.len()), (Some(1), 1));
        for (a, b) in (0..10).flat_map(|a| (0..10).map(move |b| (a, b))) {
            assert_eq!(guard.holds(&[a, b, 0, 0], &[0]), (b + 2 * a) % 3 == 0);
        }
    }

    #[test]
    fn exact_pairs_need_no_guard() {
        // 5 k1 <= k0 <= 5 k1 + 4: each k0 has its k1.
        let mut rows: Vec<AffineForm> =
            range(0, -20, 20).into_iter().chain(range(2, 0, 3)).chain(range(3, 0, 1)).collect();
        rows.extend([row([1, -5, 0, 0], 0, 0), row([-1, 5, 0, 0], 0, 4)]);
        let guards = guards(&rows, &outer_bounds(&rows, 4, 120), 4);
        assert!(guards.list.is_empty() && guards.unknown.is_empty(), "{guards:?}");
    }
}
