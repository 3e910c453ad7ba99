//! Random cases against brute force.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

mod generator;
mod oracle;

use dvm_redist::{Case, Options, Plan, Strategy};
use generator::{Random, case, smaller};
use oracle::Oracle;
use testkit::Seeds;

/// What is wrong with the plans of a case, if anything.
fn wrong(case: &Case, strategy: Strategy, optimum: bool) -> Option<String> {
    let oracle = Oracle::new(case);
    let least = optimum.then(|| oracle.least_max_load());
    let deliverable = oracle.deliverable().count() as i64;
    let missing: Vec<Vec<i64>> = oracle.missing().into_iter().collect();
    let naive: i64 = oracle.deliverable().map(|(_, t)| oracle.holders[t].len() as i64).sum();
    let lexmin = oracle.reference_runs();
    for options in
        [Options::default(), Options { strategy, balance: false }, Options { strategy: Strategy::Exact, balance: true }]
    {
        let plan = match Plan::new(case, options) {
            Ok(plan) => plan,
            Err(e) => return Some(format!("{options:?}: {e}")),
        };
        let verdict = match oracle.check(plan.transfers()) {
            Ok(verdict) => verdict,
            Err(e) => return Some(format!("{options:?}: {e}")),
        };
        let f = &plan.figures;
        let counts = (verdict.transfers, f.min_transfers, f.missing_elements, f.max_load, f.descriptors);
        let expected = (deliverable, deliverable, missing.len() as i64, verdict.max_load, verdict.descriptors);
        if counts != expected {
            return Some(format!("{options:?}: figures {counts:?}, expected {expected:?}"));
        }
        if f.naive_transfers.is_some_and(|n| n != naive) {
            return Some(format!("naive transfers {:?}, expected {naive}", f.naive_transfers));
        }
        if plan.missing_sample(5).unwrap() != missing[..missing.len().min(5)] {
            return Some(format!("missing {:?}, expected {missing:?}", plan.missing_sample(5).unwrap()));
        }
        if options == Options::default() && f.descriptors > lexmin {
            return Some(format!("{} descriptors, {lexmin} reference runs", f.descriptors));
        }
        if options.balance && f.least_is_exact && least.is_some_and(|l| l != f.max_load) {
            return Some(format!("largest load {}, optimum {least:?}", f.max_load));
        }
        if plan.descriptors().unwrap().len() as i64 != f.descriptors {
            return Some("the linear descriptors are not as many".to_owned());
        }
    }
    None
}

fn run(seeds: Seeds) {
    let (mut met, cases) = ([0; 4], seeds.cases);
    for mut random in seeds.map(Random::new) {
        let size = *random.pick(&[20, 60, 150, 300]);
        let strategy = *random.pick(&Strategy::ALL[1..]);
        let case = case(&mut random, size);
        let figures = Plan::new(&case, Options::default()).unwrap().figures;
        let traits = [
            figures.min_transfers > 0,
            figures.naive_transfers > Some(figures.min_transfers),
            figures.missing_locations > 0 && figures.min_transfers > 0,
            figures.messages > 1,
        ];
        met.iter_mut().zip(traits).for_each(|(m, t)| *m += u64::from(t));
        if let Some(reason) = wrong(&case, strategy, size < 150) {
            let (small, why) = testkit::smallest(case, reason, smaller, |case| wrong(case, strategy, true));
            panic!("{}: {why}\n{}", strategy.name(), small.to_json());
        }
    }
    println!("not empty, redundant, partly missing, several pairs: {met:?} of {cases}");
    assert!(cases < 1000 || met.iter().all(|&m| m > cases / 10), "the generator has lost its variety: {met:?}");
}

#[test]
fn random_cases_from_a_fixed_seed() {
    run(testkit::seeds_from(20_140_612, 10_000));
}

#[test]
fn random_cases_from_a_fresh_seed() {
    run(testkit::seeds(10_000));
}
