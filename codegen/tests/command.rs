//! `dvm-codegen` from the command line: output files, stages, exit codes.

use std::path::Path;
use std::process::{Command, Output};

const GOOD: &str =
    "void f(int n, double *restrict a)\n{\n#pragma dvm region\n  for (int i = 0; i < n; i++)\n    a[i] = i;\n}\n";

fn place(text: &str) -> testkit::Scratch {
    testkit::scratch(&[("in.c", text)])
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    command.current_dir(folder).args(arguments).env_remove("DVM_CLANG").output().expect("dvm-codegen runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn writes_the_output_whole_and_leaves_nothing_else() {
    let folder = place(GOOD);
    let output = run(&folder, &["tile", "in.c", "-o", "out.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = std::fs::read_to_string(folder.join("out.c")).expect("the output");
    assert!(text.contains("f_1_run(") && text.ends_with("#line 5 \"in.c\"\n\n}\n"), "{text}");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder")
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["in.c", "out.c"]);
}

#[test]
fn every_stage_can_be_printed() {
    let folder = place(GOOD);
    for (stage, part) in [
        ("model", "statement S0"),
        ("deps", ""),
        ("schedule", "S0[i]"),
        ("tiles", "phase"),
        ("rows", ""),
        ("sets", "tile"),
        ("footprint", "spread"),
        ("loops", "S0("),
        ("boxes", "S0 at ("),
        ("hosts", "phase0("),
        ("overlaps", ""),
        ("flow", "phase 0 to after: a"),
        ("place", "phase 0: S0 writes"),
        ("c", "f_1_run("),
    ] {
        let output = run(&folder, &["tile", "in.c", &format!("--print={stage}")]);
        assert_eq!(output.status.code(), Some(0), "{stage}: {}", said(&output));
        assert!(String::from_utf8_lossy(&output.stdout).contains(part), "{stage}");
    }
    assert_eq!(run(&folder, &["tile", "in.c", "--print=nothing"]).status.code(), Some(2));
}

#[test]
fn a_file_without_regions_is_given_back() {
    let text = "int x; /* #pragma dvm region */\n";
    let folder = place(text);
    let output = run(&folder, &["tile", "in.c"]);
    assert_eq!((output.status.code(), output.stdout), (Some(0), text.as_bytes().to_vec()));
}

#[test]
fn regions_that_the_preprocessor_leaves_out_stay() {
    let text = format!(
        "#if 0\n{GOOD}#endif\nvoid g(int n, double *a)\n{{\n#ifdef NEVER\n#pragma dvm region\n  for (;;) n++;\n#endif\n}}\n"
    );
    let folder = place(&text);
    let output = run(&folder, &["tile", "in.c", "--strict"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), text, "{}", said(&output));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn errors_have_their_codes() {
    let folder = place(GOOD);
    for (arguments, code, part) in [
        (&["tile", "in.c", "-o", "no/such/out.c"][..], 2, "cannot write `no/such/out.c`"),
        (&["tile", "in.c", "-o", "."], 2, "`.`"),
        (&["tile", "absent.c"], 2, "cannot read `absent.c`"),
        (&["tile"], 2, "Usage"),
        (&["tile", "in.c", "--", "-std=c77"], 3, "clang does not accept the file"),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{arguments:?}: {}", said(&output));
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.current_dir(&folder).args(["tile", "in.c"]).env("DVM_CLANG", "/nowhere/clang").output();
    let output = output.expect("dvm-codegen runs");
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("cannot run `/nowhere/clang`") && said(&output).contains("install"));
}

#[test]
fn a_source_that_clang_rejects_shows_its_messages() {
    let folder = place(&GOOD.replace("a[i] = i", "b[i] = i"));
    let output = run(&folder, &["tile", "in.c"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("in.c:5:5: error: use of undeclared identifier 'b'"), "{}", said(&output));
}

#[test]
fn deeply_nested_expressions_do_not_overflow() {
    let sum = (0..400).map(|k| format!("a[i] * {k}")).collect::<Vec<_>>().join(" + ");
    let folder = place(&GOOD.replace("a[i] = i", &format!("a[i] = {sum}")));
    let output = run(&folder, &["tile", "in.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}
