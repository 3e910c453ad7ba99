//! The mends of what may be the same memory, taken out one by one (feature `planted`): each then gives a wrong result
//! for the program that is named after it, and the right one when it is back.
#![cfg(feature = "planted")]

mod prefix;

use prefix::{dvmcc, program};
use std::path::Path;
use std::process::Command;

const FLAGS: [&str; 4] = ["-std=gnu99", "-O1", "-ffp-contract=off", "-w"];

/// In how many runs of tiles of various sizes the program prints something else than what gcc makes of it.
fn different(name: &str, planted: &str) -> usize {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/planted/{name}.c"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let (plain, tiled) = (folder.join(format!("{name}-plain")), folder.join(format!("{name}-with-{planted}")));
    let status = Command::new("gcc").args(FLAGS).arg(&source).arg("-o").arg(&plain).status();
    assert!(status.expect("gcc runs").success(), "{name}: gcc");
    let made = dvmcc().args(FLAGS).arg(&source).arg("-o").arg(&tiled).env("DVM_PLANTED", planted).output();
    let made = made.expect("dvmcc runs");
    assert!(made.status.success(), "{name}: {}", String::from_utf8_lossy(&made.stderr));
    let expected = program(&plain).output().expect("the program runs").stdout;
    let trials = [("1", "0", "1"), ("1", "7", "1"), ("3", "5", "1"), ("7", "9", "4"), ("16", "3", "4")];
    let differs = |(tile, seed, workers): &(&str, &str, &str)| {
        let environment = [("STANDIN_SIZE", *tile), ("STANDIN_SEED", *seed), ("STANDIN_WORKERS", *workers)];
        program(&tiled).envs(environment).output().expect("the program runs").stdout != expected
    };
    trials.iter().filter(|trial| differs(trial)).count()
}

#[test]
fn each_defect_is_found_when_it_is_put_back() {
    for name in ["a2-restrict", "a8-pure", "a9-escape", "a11-alias", "a12-rows"] {
        assert_eq!(different(name, "none"), 0, "{name} is mended");
        assert!(different(name, name) > 0, "{name} would not be found");
    }
}
