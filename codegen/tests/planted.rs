//! Each mended defect, put back, is found by the random functions: by the seeds that are listed here.
//!
//! `cargo test -p dvm-codegen --features planted --test planted`. To look for a seed after a change of the generator:
//! `DVM_PLANTED=NAME DVM_TEST_KEEP=1 DVM_TEST_CASES=600 cargo test -p dvm-codegen --features planted --test functions`.

#[path = "functions/mod.rs"]
mod generator;

use generator::{batch, function, tally::Tally};
use std::process::Command;

/// Defects and a seed that finds each.
const FOUND_BY: [(&str, u64); 3] = [("a2-restrict", 1439), ("a5-constants", 1090), ("a11-alias", 1150)];

/// Defects that only a directed test finds, with the test.
const DIRECTED: [(&str, &str); 0] = [];

/// Whether the function of a seed differs, with a defect put back or (`""`) none; in a process of its own, because the
/// environment says which.
fn differs(planted: &str, seed: u64) -> bool {
    let mut child = Command::new(std::env::current_exe().expect("the test's own path"));
    child.args(["--exact", "one_function", "--ignored", "--nocapture"]);
    child.env("DVM_PLANTED", planted).env("DVM_TEST_SEED", seed.to_string());
    let output = child.output().expect("the test runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("answer: "), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.contains("answer: differs")
}

#[test]
#[ignore = "a part of the test of planted defects"]
fn one_function() {
    let seed = std::env::var("DVM_TEST_SEED").expect("a seed").parse().expect("a number");
    let findings = batch::run(&[function::unit(seed)], "-O0", &mut Tally::default());
    println!("answer: {}", if findings.is_empty() { "same" } else { "differs" });
    for finding in &findings {
        println!("{}", finding.what);
    }
    batch::clean();
}

#[test]
fn planted_defects_are_found() {
    let mut missed = Vec::new();
    for (name, seed) in FOUND_BY {
        assert!(!differs("", seed), "seed {seed} differs without a planted defect");
        if !differs(name, seed) {
            missed.push(name);
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
fn every_planted_defect_is_listed() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut unlisted = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            let names = text.split("planted(\"").skip(1).filter_map(|rest| rest.split('"').next());
            let listed = |name: &str| FOUND_BY.iter().any(|f| f.0 == name) || DIRECTED.iter().any(|d| d.0 == name);
            unlisted.extend(names.filter(|name| !listed(name)).map(str::to_owned));
        }
    }
    assert!(unlisted.is_empty(), "no seed and no test for {unlisted:?}");
}
