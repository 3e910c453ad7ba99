//! The cases with known figures: every plan is exact, as small as the reference, balanced, and quick.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

mod oracle;

use dvm_redist::distribution::json::parse_cases;
use dvm_redist::{Case, Options, Plan, Strategy};
use oracle::Oracle;
use serde_json::Value;
use std::time::{Duration, Instant};

fn cases() -> Vec<(Case, Value)> {
    let text = include_str!("data/cases.json");
    let file: Value = serde_json::from_str(text).unwrap();
    let expected = file["cases"].as_array().unwrap().iter().map(|c| c["expected"].clone());
    parse_cases(text).unwrap().into_iter().zip(expected).collect()
}

#[test]
fn every_figure_is_the_expected_one() {
    for (case, expected) in cases() {
        let plan = Plan::new(&case, Options::default()).unwrap();
        let f = &plan.figures;
        let found = [
            ("source_locations", f.source_locations),
            ("source_elements", f.source_elements),
            ("target_locations", f.target_locations),
            ("target_elements", f.target_elements),
            ("common_elements", f.common_elements),
            ("min_transfers", f.min_transfers),
            ("naive_transfers", f.naive_transfers.unwrap()),
            ("missing_elements", f.missing_elements),
            ("missing_locations", f.missing_locations),
            ("source_pes", f.source_memories),
        ];
        for (name, value) in found {
            assert_eq!(expected[name].as_i64(), Some(value), "{}: {name}", case.id);
        }
        assert_eq!(serde_json::json!(plan.missing_sample(8).unwrap()), expected["missing_sample"], "{}", case.id);
    }
}

#[test]
fn every_plan_is_exact_and_no_longer_than_the_reference() {
    for (case, expected) in cases() {
        let oracle = Oracle::new(&case);
        for strategy in Strategy::ALL {
            let plan = Plan::new(&case, Options { strategy, balance: false }).unwrap();
            let verdict = oracle.check(plan.transfers()).unwrap_or_else(|e| panic!("{}: {e}", case.id));
            assert_eq!(verdict.digest, expected["digest_fnv1a64"].as_str().unwrap(), "{}", case.id);
            assert_eq!(verdict.transfers, plan.figures.min_transfers, "{}", case.id);
            assert_eq!(verdict.descriptors, plan.figures.descriptors, "{}", case.id);
            assert_eq!(verdict.max_load, plan.figures.max_load, "{}", case.id);
            if strategy == Strategy::Exact {
                let runs = expected["ref_runs"].as_i64().unwrap();
                assert!(verdict.descriptors <= runs, "{}: {} descriptors, {runs} runs", case.id, verdict.descriptors);
            }
        }
    }
}

#[test]
fn every_balanced_plan_reaches_the_optimum() {
    for (case, expected) in cases() {
        let plan = Plan::new(&case, Options { balance: true, ..Options::default() }).unwrap();
        let verdict = Oracle::new(&case).check(plan.transfers()).unwrap_or_else(|e| panic!("{}: {e}", case.id));
        assert_eq!(Some(verdict.max_load), expected["optimal_max_load"].as_i64(), "{}", case.id);
        assert_eq!(plan.figures.least_max_load.unwrap_or(0), verdict.max_load, "{}", case.id);
        assert_eq!(plan.figures.max_load, verdict.max_load, "{}", case.id);
    }
}

/// Prints the slowest plan too; `cargo test -- --nocapture` shows it.
#[test]
fn figures_count_the_descriptors_of_every_plan() {
    let mut slowest = (Duration::ZERO, String::new());
    for (case, _) in cases() {
        for balance in [false, true] {
            let start = Instant::now();
            let plan = Plan::new(&case, Options { balance, ..Options::default() }).unwrap();
            slowest = slowest.max((start.elapsed(), case.id.clone()));
            assert_eq!(plan.descriptors().unwrap().len() as i64, plan.figures.descriptors, "{}", case.id);
        }
    }
    println!("slowest plan: {} in {:?}", slowest.1, slowest.0);
}

#[test]
fn compaction_is_as_small_as_proven() {
    let file: Value = serde_json::from_str(include_str!("data/cases.json")).unwrap();
    let mut compared = 0;
    for (value, (case, _)) in file["cases"].as_array().unwrap().iter().zip(cases()) {
        for expected in value["compact"].as_array().into_iter().flatten() {
            let dim = &case.source.dimensions[expected["dim"].as_u64().unwrap() as usize];
            let parts: Vec<(i64, i64)> = dim
                .variables
                .iter()
                .filter(|v| v.kind == dvm_redist::Kind::Data)
                .map(|v| (v.coef, v.upper[0].affine.constant - v.lower[0].affine.constant + 1))
                .collect();
            for (kind, superset) in [("exact", false), ("superset", true)] {
                let found = dvm_redist::distribution::compaction::compact(0, &parts, superset).unwrap();
                if expected[kind]["proven_minimal"] == true {
                    let size = (Some(found.card), Some(found.parts.len() as i64));
                    assert_eq!(size, (expected[kind]["card"].as_i64(), expected[kind]["dim"].as_i64()), "{}", case.id);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 4);
}
