//! Dependences against brute force: kernels of a small size are executed step by step and all conflicts listed.

mod kernel;

use dvm_codegen::analysis::{Dependences, IslRegion};
use dvm_isl::{Set, UnionMap};
use kernel::{Kernel, random, table, trace};
use std::fmt::Write;

/// Pairs of instances, the first before the second, that touch one element and of which one writes it.
fn conflicts(kernel: &Kernel, parameters: &[i64]) -> String {
    let events = trace::run(kernel, parameters);
    let mut text = String::from("{ ");
    for (at, first) in events.iter().enumerate() {
        for second in &events[at + 1..] {
            let shared = |one: &[String], other: &[String]| one.iter().any(|element| other.contains(element));
            let conflict = shared(&first.writes, &second.reads)
                || shared(&first.reads, &second.writes)
                || shared(&first.writes, &second.writes);
            if conflict {
                let _ = write!(text, "{} -> {}; ", first.instance, second.instance);
            }
        }
    }
    text + "}"
}

fn check(kernel: &Kernel, parameters: &[i64]) {
    let program = IslRegion::read(&kernel.region()).expect("a model");
    let Ok(dependences) = Dependences::of(&program) else { return };
    program.ctx.allow_operations(0);
    let known: Vec<String> =
        kernel.parameters.iter().zip(parameters).map(|(name, value)| format!("{name} = {value}")).collect();
    let here = format!("[{}] -> {{ : {} }}", kernel.parameters.join(", "), known.join(" and "));
    let here = Set::parse(&program.ctx, &here).expect("a point");
    let found = dependences.all.intersect_params(&here).expect("dependences at a size");
    let expected = UnionMap::parse(&program.ctx, &conflicts(kernel, parameters)).expect("a list");
    let expected = expected.intersect_params(&here).expect("a list at a size");
    assert!(
        found.is_subset(&expected).expect("an answer"),
        "{}: a dependence without a conflict\n{}",
        kernel.name,
        kernel.text()
    );
    // Conflicts that are not nearest are ordered through others.
    let mut ordered = found.clone();
    for _ in 0..24 {
        if expected.is_subset(&ordered).expect("an answer") {
            return;
        }
        let next = ordered.apply_range(&ordered).and_then(|further| ordered.union(&further)?.coalesce());
        ordered = next.expect("paths");
    }
    let missing = expected.subtract(&ordered).expect("a difference");
    panic!("{}: a conflict that nothing orders: {missing}\n{}", kernel.name, kernel.text());
}

#[test]
fn dependences_order_every_conflict_and_nothing_else() {
    for kernel in table::all() {
        let parameters = [4, 2];
        check(&kernel, &parameters[..kernel.parameters.len()]);
    }
}

#[test]
fn dependences_of_random_nests_order_every_conflict_and_nothing_else() {
    for seed in 1..=12 {
        check(&random::kernel(seed), &[4, 7]);
    }
}
