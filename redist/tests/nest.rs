//! Loop nests of random cases against brute force: each value of outer counters that passes bounds and guards has a point
//! inside, and every other one has none.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

mod generator;

use dvm_redist::distribution::domain::Domain;
use dvm_redist::integer::number::{ceil_div, floor_div};
use dvm_redist::nest::{Known, Nest};
use dvm_redist::{Case, Parameters};
use generator::{Random, case};

/// A walk through the nest's bounds alone.
struct Walk<'a> {
    nest: &'a Nest,
    known: Vec<i64>,
    points: u64,
    /// Values that the bounds allow and a guard forbids.
    spared: u64,
    wrong: Option<String>,
}

impl Walk<'_> {
    /// Whether there is a point inside the values of the first `k` counters; compares that with the guards.
    fn inside(&mut self, at: &mut Vec<i64>, k: usize) -> bool {
        let n = self.nest.counters.len();
        if k == n {
            self.points += 1;
            return true;
        }
        let (lower, upper) = self.nest.bounds_of(k);
        let lo = lower.iter().map(|(r, d)| ceil_div(r.value(at, &self.known), (*d).into())).max().unwrap();
        let hi = upper.iter().map(|(r, d)| floor_div(r.value(at, &self.known), (*d).into())).min().unwrap();
        let mut any = false;
        for v in lo..=hi {
            at[k] = v as i64;
            any |= self.inside(at, k + 1);
        }
        at[k] = 0;
        let level = k.checked_sub(1);
        let passes = self.nest.guards.list.iter().filter(|g| g.level <= level).all(|g| g.holds(at, &self.known));
        self.spared += u64::from(!passes);
        let told = self.nest.guards.unknown.iter().all(|u| *u > level);
        if (any && !passes) || (told && passes && !any) {
            self.wrong.get_or_insert(format!("counters {:?}: passes {passes}, a point inside {any}", &at[..k]));
        }
        any
    }
}

/// The pairs of locations of the same element.
fn pairs(case: &Case) -> u64 {
    let count = |domain: Domain| {
        let mut held = std::collections::HashMap::new();
        domain.rows(|at, inner, lo, hi| {
            let mut at = at.to_vec();
            for v in lo..=hi {
                inner.into_iter().for_each(|i| at[i] = v);
                *held.entry(domain.element(&at)).or_insert(0_u64) += 1;
            }
        });
        held
    };
    let source = count(Domain::new(&case.source, &case.parameters).unwrap());
    let target = count(Domain::new(&case.target, &case.parameters).unwrap());
    target.iter().map(|(t, n)| n * source.get(t).unwrap_or(&0)).sum()
}

/// What the nest's columns are for some values of the parameters; `None` when there is nothing to do.
fn known(nest: &Nest, parameters: &Parameters) -> Option<Vec<i64>> {
    let mut values: Vec<i64> = parameters.values().copied().collect();
    for known in &nest.known[values.len()..] {
        let Known::Quotient { form, divisor, .. } = known else { unreachable!("parameters come first") };
        let value = form.value(&[], &values[..form.parameter.len()]);
        let fits = if *divisor == 0 { value == 0 } else { value % i128::from(*divisor) == 0 };
        if !fits {
            return None;
        }
        values.push((value / i128::from((*divisor).max(1))) as i64);
    }
    Some(values)
}

/// Levels spared, guards, unknown levels; or what is wrong.
fn check(case: &Case) -> Result<[u64; 3], String> {
    let Ok(nest) = Nest::new(case) else { return Ok([0; 3]) };
    let mut met = [0, nest.guards.list.len() as u64, nest.guards.unknown.len() as u64];
    let values: &[i64] = if case.parameters.is_empty() { &[0] } else { &[-3, 0, 1, 7, 18] };
    for &n in values {
        let mut case = case.clone();
        case.parameters.values_mut().for_each(|v| *v = n);
        let expected = pairs(&case);
        let known = if nest.never { None } else { known(&nest, &case.parameters) };
        let Some(known) = known else {
            if expected > 0 {
                return Err(format!("parameters {n}: {expected} pairs, and nothing to do"));
            }
            continue;
        };
        let mut walk = Walk { nest: &nest, known, points: 0, spared: 0, wrong: None };
        if nest.conditions().iter().all(|r| r.value(&vec![0; nest.counters.len()], &walk.known) >= 0) {
            walk.inside(&mut vec![0; nest.counters.len()], 0);
        }
        if walk.points != expected {
            return Err(format!("parameters {n}: {} points, {expected} pairs", walk.points));
        }
        if let Some(wrong) = walk.wrong {
            return Err(format!("parameters {n}: {wrong}"));
        }
        met[0] += walk.spared;
    }
    Ok(met)
}

#[test]
fn every_value_of_outer_counters_has_a_point_inside() {
    let seeds = testkit::seeds(1500);
    let cases = seeds.cases;
    let (mut met, mut guarded, mut unknown) = ([0; 3], 0, 0);
    for mut random in seeds.map(Random::new) {
        let case = case(&mut random, 40);
        let found = check(&case).unwrap_or_else(|e| panic!("{e}\n{}", case.to_json()));
        met.iter_mut().zip(found).for_each(|(m, f)| *m += f);
        guarded += u64::from(found[1] > 0);
        unknown += u64::from(found[2] > 0);
    }
    let [spared, guards, levels] = met;
    println!(
        "{guarded} cases with {guards} guards sparing {spared} values; {unknown} cases with {levels} levels unknown"
    );
    assert!(cases < 1000 || (guarded > cases / 20 && spared > cases), "the generator has lost its variety");
    assert!(unknown * 50 < cases.max(200), "{unknown} cases are not exact");
}
