//! Folded plans are the tabulated ones: same figures, same owners, no more descriptors, and exact by brute force.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

mod generator;
mod oracle;

use dvm_redist::distribution::layouts::{self, suffixed};
use dvm_redist::{Affine, Case, Dimension, Distribution, Figures, Options, Parameters, Plan, Variable};
use generator::Random;
use oracle::Oracle;
use std::collections::BTreeMap;

/// A dimension that repeats, of about `n` elements.
fn periodic(random: &mut Random, n: i64) -> Dimension {
    let (p, b) = (random.between(1, 4), random.between(1, 6));
    let ragged = random.between(0, 3 * p * b);
    let known = match random.between(0, 7) {
        0 => layouts::block(n + ragged, p),
        1 => layouts::cyclic(n + ragged, p),
        2 => layouts::whole(n + ragged),
        3 => layouts::halo(n + ragged, p, random.between(0, 4), random.between(0, 4)),
        4 => Ok(windows(random, n)),
        _ => layouts::block_cyclic(n + ragged, p, b),
    };
    let mut d = known.unwrap();
    if random.chance(25) {
        d.offset = Affine::constant(random.between(-9, 9));
    }
    if random.chance(25) {
        // Backwards.
        d.variables.iter_mut().for_each(|v| v.coef = -v.coef);
        d.offset.constant += n;
    }
    if random.chance(15) {
        d.variables.push(Variable::arch("copy", 0, 0, random.between(0, 2)));
    }
    if random.chance(3) {
        // Nothing at all.
        d.variables.push(Variable::data("none", random.between(1, 2000), 0, -random.between(1, 3)));
    }
    if random.chance(15) {
        let places = d.variables.len() as i64 - 1;
        d.variables.swap(random.between(0, places) as usize, random.between(0, places) as usize);
    }
    d
}

/// Rounds of windows that may overlap or leave gaps: elements are held several times, or are missing.
fn windows(random: &mut Random, n: i64) -> Dimension {
    let (p, shift) = (random.between(1, 3), random.between(1, 5));
    let round = (p * shift + random.between(-1, 1)).max(1);
    let variables = vec![
        Variable::arch("p", shift, 0, p - 1),
        Variable::data("c", round, 0, n / round),
        Variable::data("l", random.between(1, 2), 0, random.between(0, 7)),
    ];
    Dimension { offset: 0.into(), variables }
}

fn case(random: &mut Random, size: i64) -> Case {
    let dims = if random.chance(20) { 2 } else { 1 };
    let n: Vec<i64> = (0..dims).map(|_| random.between(20, if dims == 1 { size } else { 20 + size / 10 })).collect();
    let mut side = |name: &str| Distribution {
        dimensions: n.iter().enumerate().map(|(j, &n)| suffixed(periodic(random, n), &format!("{name}{j}"))).collect(),
        layout: None,
    };
    let (source, target) = (side("s"), side("t"));
    Case { id: "fold".to_owned(), parameters: Parameters::new(), family: None, element_size: 8, source, target }
}

/// The elements that each pair of memories exchanges.
fn messages(plan: &Plan) -> BTreeMap<(i64, i64), i64> {
    let mut found = BTreeMap::new();
    for t in plan.transfers() {
        let pair = (plan.source.memory(&t.source), plan.target.memory(&t.target));
        *found.entry(pair).or_insert(0) += t.volume();
    }
    found
}

/// Whether a memory holds or wants an element twice.
fn twice(plan: &Plan) -> bool {
    plan.tables.iter().any(|t| !t.source.holds_once().unwrap() || !t.target.holds_once().unwrap())
}

/// What was met: plans with folded tables, by whether elements are held or wanted more than once.
#[derive(Default, Debug)]
struct Met {
    folded: u64,
    redundant: u64,
    missing: u64,
    more: u64,
}

fn wrong(case: &Case, options: Options, brute: bool, met: &mut Met) -> Result<(), String> {
    let plan = Plan::folding(case, options, 0).map_err(|e| e.to_string())?;
    if plan.tables.iter().all(|t| t.fold.is_none()) {
        return Ok(());
    }
    let whole = Plan::folding(case, options, i128::MAX).map_err(|e| e.to_string())?;
    let (f, g) = (&plan.figures, &whole.figures);
    if plan.missing_sample(5).unwrap() != whole.missing_sample(5).unwrap() {
        return Err(format!("missing {:?}, {:?}", plan.missing_sample(5).unwrap(), whole.missing_sample(5).unwrap()));
    }
    if brute {
        let verdict = Oracle::new(case).check(plan.transfers())?;
        if (verdict.transfers, verdict.max_load, verdict.descriptors) != (f.min_transfers, f.max_load, f.descriptors) {
            return Err(format!("the figures are not the plan's: {f:?}"));
        }
    }
    let redundant = g.naive_transfers > Some(g.min_transfers);
    met.folded += 1;
    met.redundant += u64::from(redundant);
    met.missing += u64::from(g.missing_locations > 0);
    met.more += u64::from(f.descriptors > g.descriptors);
    if f.descriptors > g.descriptors && !redundant && !twice(&whole) {
        return Err(format!("{} descriptors instead of {}", f.descriptors, g.descriptors));
    }
    let same = Figures { descriptors: g.descriptors, ..f.clone() };
    // A memory that holds an element twice leaves a choice that is made by the length of runs, unless quotas make it.
    if (options.balance || !twice(&whole)) && (same != *g || messages(&plan) != messages(&whole)) {
        return Err(format!("{f:?} instead of {g:?}"));
    }
    if (f.min_transfers, f.missing_locations) != (g.min_transfers, g.missing_locations) {
        return Err(format!("{f:?} instead of {g:?}"));
    }
    Ok(())
}

#[test]
fn folded_plans_are_the_tabulated_ones() {
    for balance in [false, true] {
        let (mut met, seeds) = (Met::default(), testkit::seeds_from(7, 3_000));
        let cases = seeds.cases;
        for seed in seeds {
            let mut random = Random::new(seed);
            let size = [400, 1500, 4000][random.between(0, 2) as usize];
            let case = case(&mut random, size);
            let options = Options { balance, ..Options::default() };
            if let Err(e) = wrong(&case, options, seed % 10 == 0, &mut met) {
                panic!("balance {balance}: {e}\n{}", case.to_json());
            }
        }
        println!("balance {balance}: {met:?} of {cases}");
        if testkit::selected() {
            continue;
        }
        assert!(met.folded > cases / 3 && met.redundant > cases / 20 && met.missing > cases / 10, "{met:?}");
        // Only where elements are held or wanted more than once, and rarely.
        assert!(met.more <= met.folded / 50, "{met:?}");
    }
}

fn one(source: Dimension, target: Dimension) -> Case {
    let side = |d| Distribution { dimensions: vec![d], layout: None };
    let (source, target) = (side(source), side(target));
    Case { id: "large".to_owned(), parameters: Parameters::new(), family: None, element_size: 8, source, target }
}

#[test]
fn the_extent_does_not_count() {
    for n in [1_000_000_000, 1_000_000_000_000, 1_000_000_000_000_000] {
        let known = [
            (layouts::block_cyclic(n, 4, 64), layouts::block_cyclic(n, 4, 96), 16),
            (layouts::block(n, 4), layouts::block_cyclic(n, 4, 96), 24),
            (layouts::halo(n, 4, 3, 3), layouts::block_cyclic(n, 4, 96), 28),
            (layouts::block_cyclic(n, 4, 20_000_000), layouts::block_cyclic(n, 3, 96), 1000),
        ];
        for (k, (source, target, most)) in known.into_iter().enumerate() {
            let case = one(source.unwrap(), target.unwrap());
            for balance in [false, true] {
                if k == 3 && n > 1_000_000_000 {
                    continue;
                }
                let start = std::time::Instant::now();
                let plan = Plan::new(&case, Options { balance, ..Options::default() }).unwrap();
                let f = &plan.figures;
                println!("{k}, {n}, balance {balance}: {:?}, {} descriptors", start.elapsed(), f.descriptors);
                assert_eq!((f.min_transfers, f.missing_locations, f.target_locations), (n, 0, n));
                assert_eq!(messages(&plan).values().sum::<i64>(), n);
                assert!(f.descriptors <= most, "{} descriptors", f.descriptors);
                assert!(!balance || f.max_load == (n + 3) / 4 || k == 0 || k == 3, "{f:?}");
            }
        }
    }
}

#[test]
fn the_same_plan_for_any_number_of_periods() {
    // The levels' counts grow with the number of periods; nothing else changes.
    let plan = |n: i64, least: i128| {
        let case = one(layouts::block_cyclic(n, 4, 64).unwrap(), layouts::block_cyclic(n, 4, 96).unwrap());
        Plan::folding(&case, Options::default(), least).unwrap()
    };
    for ragged in [0, 1, 63, 64, 100, 700] {
        let (small, large) = (plan(768 * 40 + ragged, i128::MAX), plan(768 * 40_000_000 + ragged, 0));
        let shape = |p: &Plan| {
            let all = p.transfers().map(|t| (t.source[..1].to_vec(), t.target[..1].to_vec(), t.levels.len()));
            all.collect::<Vec<_>>()
        };
        assert_eq!(shape(&small), shape(&large), "{ragged}");
        for (a, b) in messages(&small).into_iter().zip(messages(&large)) {
            assert_eq!((a.0, (a.1 - b.1) % (40_000_000 - 40)), (b.0, 0), "{ragged}");
        }
    }
}

#[test]
fn a_side_with_nothing_leaves_the_other_as_it_is() {
    let empty =
        Dimension { offset: 0.into(), variables: vec![Variable::data("b", 1, 0, 9), Variable::data("z", 1000, 0, -1)] };
    let full = layouts::block_cyclic(28_000, 4, 7).unwrap();
    let plan = |source: &Dimension, target: &Dimension| {
        Plan::new(&one(source.clone(), target.clone()), Options::default()).unwrap()
    };
    let f = plan(&full, &empty).figures;
    assert_eq!((f.source_locations, f.source_elements, f.target_locations, f.min_transfers), (28_000, 28_000, 0, 0));
    let backwards = plan(&empty, &full);
    let f = &backwards.figures;
    assert_eq!((f.source_locations, f.missing_locations, f.missing_elements), (0, 28_000, 28_000));
    assert_eq!(backwards.missing_sample(2).unwrap(), [[0], [1]]);
}

#[test]
fn what_is_missing_is_found_far_out() {
    // The target wants every second element twice as far as the source goes.
    let target = Dimension { offset: 0.into(), variables: vec![Variable::data("l", 2, 0, 999_999_999)] };
    let case = one(layouts::cyclic(1_000_000_000, 7).unwrap(), target);
    let plan = Plan::new(&case, Options::default()).unwrap();
    let f = &plan.figures;
    assert_eq!((f.min_transfers, f.missing_locations, f.missing_elements), (500_000_000, 500_000_000, 500_000_000));
    assert_eq!(plan.missing_sample(3).unwrap(), [[1_000_000_000], [1_000_000_002], [1_000_000_004]]);
}
