//! Symbolic answers about existence against enumeration.

mod generator;
mod oracle;

use dvm_redist::distribution::json::parse_cases;
use dvm_redist::nest::existence::{held, members, missing};
use generator::{Random, case};
use oracle::Oracle;
use std::collections::BTreeSet;

#[test]
fn the_extent_family_misses_from_65_on() {
    let cases = parse_cases(include_str!("data/cases.json")).unwrap();
    let case = cases.iter().find(|c| c.id == "param-extent-N50").unwrap();
    let systems = missing(case, 0).unwrap().expect("known symbolically");
    for n in -5..200 {
        let misses = systems.iter().any(|rows| rows.iter().all(|r| r.value(&[0], &[n]) >= 0));
        assert_eq!(misses, n >= 65, "N = {n}");
    }
}

#[test]
fn what_is_said_symbolically_is_what_is_there() {
    let mut known = [0, 0, 0];
    let mut one_dimensional = 0;
    for mut random in testkit::seeds_from(271_828, 3000).map(Random::new) {
        let mut case = case(&mut random, 60);
        if case.source.dimensions.len() != 1 {
            continue;
        }
        let names: Vec<String> = case.parameters.keys().cloned().collect();
        let (said, systems) = (held(&case.source, 0, &names).unwrap(), missing(&case, 0).unwrap());
        let exact = members(&case.source, 0, &names).unwrap();
        one_dimensional += 1;
        known[2] += u32::from(exact.is_some());
        known[0] += u32::from(said.is_some());
        known[1] += u32::from(systems.is_some());
        for n in [-4, 0, 1, 7, 23] {
            case.parameters.values_mut().for_each(|v| *v = n);
            let values: Vec<i64> = case.parameters.values().copied().collect();
            let oracle = Oracle::new(&case);
            let there: BTreeSet<i64> = oracle.holders.keys().map(|t| t[0]).collect();
            if let Some(said) = &said {
                for t in -150..250 {
                    assert_eq!(said.holds(t, &values), there.contains(&t), "t {t}\n{}", case.to_json());
                }
            }
            if let Some(exact) = &exact {
                for t in -150..250 {
                    assert_eq!(exact.holds(t, &values), there.contains(&t), "t {t}\n{}", case.to_json());
                }
            }
            if let Some(systems) = &systems {
                let misses = systems.iter().any(|rows| rows.iter().all(|r| r.value(&[0], &values) >= 0));
                assert_eq!(misses, !oracle.missing().is_empty(), "{}", case.to_json());
            }
        }
    }
    println!(
        "of {one_dimensional} known symbolically: {} by one system, {} by several; missing {}",
        known[0], known[2], known[1]
    );
    assert!(testkit::selected() || known[0] > 300 && known[1] > 100 && known[2] > known[0], "{known:?}");
}
