//! The loops of generated C enter no body for nothing: whatever passes bounds and guards leads to a call. Sources without
//! redundant copies only, since cuts are not counted in.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

#[path = "../../redist/tests/generator/mod.rs"]
mod generator;

use dvm_codegen::redist_c::c_command::{function_name, generate};
use dvm_redist::Case;
use dvm_redist::distribution::json::parse_cases;
use dvm_redist::nest::Nest;
use generator::{Random, case};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The generated text with a mark at the start of each body; optionally without its guards.
fn marked(text: &str, guards: bool) -> String {
    let mut out = String::new();
    // A guard over several lines is one.
    let text = text.replace("||\n", "||");
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let body = line.trim_start();
        if !guards && body.starts_with("if (") && lines.peek().is_some_and(|l| l.trim() == "continue;") {
            lines.next();
            continue;
        }
        if let Some(rest) = body.strip_prefix("const int64_t inf_k") {
            let k: usize = rest.split(' ').next().unwrap().parse().unwrap();
            let _ = writeln!(out, "VISIT({k});");
        }
        let _ = writeln!(out, "{line}");
    }
    out
}

/// How often each body of each case was entered, and how often that was of use. The last body looks itself whether there is
/// something to call for, and is not listed.
fn count(cases: &[Case], guards: bool) -> Vec<Vec<(i64, i64)>> {
    let folder = testkit::scratch(&[]);
    let (mut program, mut body) = ("#include <stdio.h>\n".to_owned(), String::new());
    let mut deepest = Vec::new();
    for case in cases {
        let text = generate(case).unwrap();
        let loops = text.lines().filter(|l| l.trim_start().starts_with("for (int64_t k")).count();
        deepest.push(loops);
        program.push_str(&marked(&text, guards));
        let values: &[i64] = if case.parameters.is_empty() { &[0] } else { &[-3, 0, 1, 4, 11, 26] };
        body.push_str("  v = (visits_t){0};\n");
        for n in values {
            let arguments = format!(", {n}").repeat(case.parameters.len());
            let _ = writeln!(body, "  {}(&v{arguments});", function_name(case));
        }
        body.push_str(
            "  for (int k = 1; k < 32; k++) printf(\"%lld %lld \", (long long)v.entered[k], (long long)v.used[k]);\n",
        );
        body.push_str("  puts(\"\");\n");
    }
    let _ = writeln!(program, "int main(void) {{\n  visits_t v;\n{body}  return 0;\n}}");
    std::fs::write(folder.join("program.c"), program).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cc = Command::new("cc");
    cc.current_dir(&folder).args(["-std=c99", "-O0", "-include", "visits.h", "-o", "program", "program.c", "-I"]);
    let out = cc.arg(root.join("../include")).arg("-I").arg(root.join("tests/redist")).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let out = Command::new(folder.join("program")).output().unwrap();
    assert!(out.status.success());
    let text = String::from_utf8(out.stdout).unwrap();
    let counts = text.lines().zip(deepest).map(|(line, deepest)| {
        let n: Vec<i64> = line.split_whitespace().map(|n| n.parse().unwrap()).collect();
        // Before the first loop a function is entered once whatever the parameters are.
        n.chunks(2).map(|c| (c[0], c[1])).take(deepest).skip(1).collect()
    });
    counts.collect()
}

#[test]
fn a_planted_stride_is_not_visited_for_nothing() {
    // Blocks of 7 dealt to 4 memories, then to 3: of the blocks of one memory few lie in a given other one.
    let cases = parse_cases(include_str!("../../redist/tests/data/cases.json")).unwrap();
    let cases: Vec<Case> = cases.into_iter().filter(|c| c.id == "1d-bc-to-bc").collect();
    assert_eq!(cases.len(), 1);
    let idle = |counts: &[Vec<(i64, i64)>]| counts.iter().flatten().map(|(entered, used)| entered - used).sum::<i64>();
    let (plain, guarded) = (count(&cases, false), count(&cases, true));
    println!("without guards {plain:?}, with {guarded:?}");
    assert!(idle(&plain) > 0, "the real shadow is exact here");
    assert_eq!(idle(&guarded), 0);
}

#[test]
fn random_nests_enter_no_body_for_nothing() {
    let (mut cases, mut tried, mut inexact, mut longest) = (Vec::new(), 0, 0, 0);
    for seed in testkit::seeds(200) {
        let mut case = case(&mut Random::new(seed), 120);
        case.id = format!("random-{seed}");
        let (Ok(nest), Ok(text)) = (Nest::new(&case), generate(&case)) else { continue };
        tried += 1;
        longest = longest
            .max(text.replace("||\n", "||").lines().filter(|l| l.contains("if (")).map(str::len).max().unwrap_or(0));
        if !nest.guards.unknown.is_empty() {
            inexact += usize::from(text.contains("takes too many systems"));
        } else if nest.cuts.is_empty() {
            cases.push(case);
        }
    }
    println!("{tried} cases, {inexact} not exact, the longest guard has {longest} characters");
    let (plain, guarded) = (count(&cases, false), count(&cases, true));
    let mut spared = 0;
    for ((plain, guarded), case) in plain.iter().zip(&guarded).zip(&cases) {
        let idle = guarded.iter().position(|(entered, used)| entered != used);
        assert_eq!(idle, None, "{guarded:?}\n{}\n{}", case.to_json(), generate(case).unwrap());
        spared += plain.iter().map(|(entered, used)| entered - used).sum::<i64>();
    }
    println!("{spared} visits spared");
    assert!(testkit::selected() || spared > 0, "no random case needs a guard");
    assert!(inexact * 20 < tried, "{inexact} of {tried} cases are not exact");
}
