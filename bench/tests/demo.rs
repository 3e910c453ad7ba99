//! The exit status and the verdict of dvm-demo, with stand-ins for dvmcc: what the demonstration compares is judged, not tiles.

use std::process::{Command, Output};

/// Runs the demonstration on the product of matrices; `dvmcc` is the text of a script.
fn demo(dvmcc: &str) -> Output {
    let dvmcc = format!("#!/bin/sh\n{dvmcc}\n");
    let folder = testkit::scratch(&[("dvmcc", &dvmcc), ("dvm-codegen", "#!/bin/sh\nexit 0\n")]);
    Command::new(env!("CARGO_BIN_EXE_dvm-demo"))
        .args(["--only", "matmul", "--shrink", "16", "--runs", "1", "--cc", "cc"])
        .arg("--examples")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"))
        .arg("--bin")
        .arg(&*folder)
        .arg("--out")
        .arg(folder.join("out"))
        .output()
        .expect("dvm-demo runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn equal_results_are_told_and_the_status_is_0() {
    let output = demo("exec \"$DVM_CC\" \"$@\"");
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text.contains("Verdict: 1 of 1 the same bits; "), "{text}");
    assert!(text.contains("product of two matrices of order 64"), "{text}");
    assert!(text.contains("What to do next\n"), "{text}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "1/1 matmul: product of two matrices of order 64\n", "a line per program without a terminal");
}

#[test]
fn another_result_is_told_and_the_status_is_1() {
    // A program that only says that it took a second, and writes a result of its own.
    let output = demo(
        r#"for out; do :; done
        printf '#!/bin/sh\necho seconds 1 >&2\necho other >"$3"\n' >"$out"
        chmod +x "$out""#,
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(said(&output).contains("Verdict: 0 of 1 the same bits; "), "{output:?}");
    assert!(said(&output).contains("Other results: matmul."), "{output:?}");
}

#[test]
fn a_program_that_does_not_compile_gives_the_status_2() {
    let output = demo("echo 'no such thing' >&2; exit 1");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no such thing"), "{output:?}");
}
