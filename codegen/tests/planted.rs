//! Each mended defect, put back one by one (feature `planted`), is found: by seeds of the random generators, and by a
//! program that is named after it. Without the defect the same seeds and the same program are right.
//!
//! `cargo test --release -p dvm-codegen --features planted --test planted`. To look for seeds after a change of a generator:
//! `DVM_PLANTED=NAME DVM_TEST_KEEP=1 DVM_TEST_SHOWN=0 DVM_TEST_CASES=600` with `--test functions` (`DVM_TEST_ONLY` names
//! a piece of text that the functions have to contain), or
//! `DVM_PLANTED=NAME DVM_TEST_SHRUNK=0 DVM_TEST_CASES=600` with `--test standard`.

#[path = "functions/mod.rs"]
mod generator;
#[path = "linear/mod.rs"]
mod linear;
mod prefix;
#[path = "standard/mod.rs"]
mod standard;

use generator::{batch, function, tally::Tally};
use std::path::Path;
use std::process::Command;

/// How a defect is found, next to the program `planted/NAME.c` that each has.
enum Found {
    /// By these seeds of the random functions.
    Functions(&'static [u64]),
    /// By these seeds of the programs from the standard.
    Standard(&'static [u64]),
    /// By these seeds of the functions with linearised arrays.
    Linearised(&'static [u64]),
    /// By its program alone.
    Directed,
}

/// All defects that can be put back, in the order of the classes of wrong results.
const TABLE: [(&str, &[Found]); 38] = [
    ("a1-align", &[Found::Functions(&[1186])]),
    ("a2-restrict", &[Found::Functions(&[1179])]),
    ("a3-liveness", &[Found::Functions(&[119, 175])]),
    ("a4-names", &[Found::Functions(&[644]), Found::Standard(&[1, 210])]),
    ("a5-constants", &[Found::Functions(&[689])]),
    ("a6-text", &[Found::Functions(&[618])]),
    ("a7-wrap", &[Found::Functions(&[10094])]),
    ("a8-pure", &[Found::Functions(&[89, 437])]),
    ("a9-escape", &[Found::Directed]),
    ("a10-environment", &[Found::Directed]),
    ("a11-alias", &[Found::Functions(&[149, 192])]),
    ("a12-rows", &[Found::Directed, Found::Linearised(&[1020])]),
    ("a13-entry", &[Found::Directed]),
    ("a14-kept", &[Found::Directed]),
    ("a15-order", &[Found::Directed]),
    ("a16-updates", &[Found::Directed]),
    ("a17-final", &[Found::Directed]),
    ("a18-members", &[Found::Directed]),
    ("a19-tables", &[Found::Directed]),
    ("a20-step", &[Found::Directed]),
    ("a30-box", &[Found::Directed]),
    ("a31-reads", &[Found::Directed]),
    ("a32-others", &[Found::Directed]),
    ("a33-lockstep", &[Found::Directed]),
    ("a34-rounds", &[Found::Directed]),
    ("a35-home", &[Found::Directed]),
    ("a36-static", &[Found::Directed]),
    ("a37-scratch", &[Found::Directed]),
    ("a38-shown", &[Found::Directed]),
    ("a39-order", &[Found::Directed]),
    ("a40-counters", &[Found::Directed]),
    ("a41-beside", &[Found::Functions(&[3336, 3443])]),
    ("a42-left", &[Found::Directed]),
    ("a43-stale", &[Found::Directed]),
    ("a44-early", &[Found::Directed]),
    ("a45-missing", &[Found::Directed]),
    ("a46-kept", &[Found::Directed]),
    ("a47-left-rows", &[Found::Directed]),
];

/// What the test `name` below, in a process of its own because the environment says which defect is back, answers.
fn answer(name: &str, planted: &str, seed: u64) -> bool {
    let mut child = Command::new(std::env::current_exe().expect("the test's own path"));
    child.args(["--exact", name, "--ignored", "--nocapture"]);
    child.env("DVM_PLANTED", planted).env("DVM_TEST_SEED", seed.to_string());
    let output = child.output().expect("the test runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("answer: "), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said.contains("answer: differs")
}

fn seed() -> u64 {
    testkit::setting("DVM_TEST_SEED").expect("a seed")
}

#[test]
#[ignore = "a part of the test of planted defects"]
fn one_function() {
    let findings = batch::run(&[function::unit(seed())], "-O0", &mut Tally::default());
    println!("answer: {}", if findings.is_empty() { "same" } else { "differs" });
    for finding in &findings {
        println!("{}", finding.what);
    }
    batch::clean();
}

#[test]
#[ignore = "a part of the test of planted defects"]
fn one_program_from_the_standard() {
    let case = standard::function::case(standard::choices::Choices::seeded(seed()));
    let verdicts = standard::judge::judge(&[&case.text], "-O0").verdicts;
    let wrong = matches!(verdicts[..], [Some(standard::judge::Verdict::Wrong(..))]);
    println!("answer: {}", if wrong { "differs" } else { "same" });
    println!("{verdicts:?}");
    standard::judge::clean();
}

#[test]
#[ignore = "a part of the test of planted defects"]
fn one_linearised_function() {
    let judged = linear::judge::judge_text(&[seed()], &linear::program::source(&[seed()]));
    println!("answer: {}", if judged.is_ok() { "same" } else { "differs" });
    println!("{judged:?}");
}

const FLAGS: [&str; 4] = ["-std=gnu11", "-O1", "-ffp-contract=off", "-w"];
const TRIALS: [(&str, &str, &str); 5] =
    [("1", "0", "1"), ("1", "7", "1"), ("3", "5", "1"), ("7", "9", "4"), ("16", "3", "4")];

/// In how many runs, with tiles of various sizes, the program of a defect prints something else than what gcc makes of
/// it; all of them if the defect makes text that is no C.
fn different(name: &str, planted: &str) -> usize {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/planted/{name}.c"));
    let folder = testkit::scratch(&[]);
    let (plain, tiled) = (folder.join(format!("{name}-plain")), folder.join(format!("{name}-with-{planted}")));
    let status = Command::new("gcc").args(FLAGS).arg(&source).arg("-lm").arg("-o").arg(&plain).status();
    assert!(status.expect("gcc runs").success(), "{name}: gcc");
    let mut made = prefix::dvmcc();
    made.args(FLAGS).arg(&source).arg("-lm").arg("-o").arg(&tiled).env("DVM_PLANTED", planted);
    let made = made.output().expect("dvmcc runs");
    if !made.status.success() {
        assert!(planted == name, "{name}: {}", String::from_utf8_lossy(&made.stderr));
        return TRIALS.len();
    }
    let expected = prefix::program(&plain).output().expect("the program runs").stdout;
    let differs = |(tile, seed, workers): &(&str, &str, &str)| {
        let environment = [("STANDIN_SIZE", *tile), ("STANDIN_SEED", *seed), ("STANDIN_WORKERS", *workers)];
        // A wrong program may run for ever.
        let mut limited = Command::new("timeout");
        limited.arg("20").arg(&tiled).envs(environment).env_remove("LD_LIBRARY_PATH");
        limited.output().expect("the program runs").stdout != expected
    };
    TRIALS.iter().filter(|trial| differs(trial)).count()
}

#[test]
fn the_program_of_each_defect_finds_it() {
    let mut failures = Vec::new();
    for (name, _) in TABLE {
        let (without, with) = (different(name, "none"), different(name, name));
        println!("{name}: {without} of {} runs differ without it, {with} with it", TRIALS.len());
        if without > 0 {
            failures.push(format!("{name}: the program is wrong without the defect"));
        }
        if with == 0 {
            failures.push(format!("{name}: the program does not find it"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn the_seeds_of_each_defect_find_it() {
    let mut failures = Vec::new();
    for (name, ways) in TABLE {
        for way in ways {
            let (test, seeds) = match way {
                Found::Functions(seeds) => ("one_function", *seeds),
                Found::Standard(seeds) => ("one_program_from_the_standard", *seeds),
                Found::Linearised(seeds) => ("one_linearised_function", *seeds),
                Found::Directed => continue,
            };
            for seed in seeds {
                let (without, with) = (answer(test, "none", *seed), answer(test, name, *seed));
                println!("{name}: {test}, seed {seed}: differs without it {without}, with it {with}");
                if without || !with {
                    failures.push(format!("{name}: {test}, seed {seed}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "wrong without the defect, or right with it: {failures:#?}");
}

#[test]
fn the_table_lists_every_defect_that_can_be_put_back() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![here.join("src"), here.join("isl/src")];
    let mut hooks = std::collections::BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a source")).into_owned();
            let names = text.split("planted(\"").skip(1).filter_map(|rest| rest.split('"').next());
            hooks.extend(names.map(str::to_owned));
        }
    }
    let listed: std::collections::BTreeSet<String> = TABLE.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(hooks, listed);
}
