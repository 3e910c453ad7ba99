//! Each code of a refusal: its first example is refused with that code, its second one is accepted, and the page tells both.

use dvm_codegen::refusal::{Code, Example, explanation, page};
use std::path::Path;
use std::process::{Command, Output};

fn run(program: &str, words: &[&str]) -> Output {
    Command::new(program).args(words).output().unwrap()
}

/// Codes about what `dvm-codegen` does not read, and `dvmcc` leaves to the compiler.
const OF_DVMCC: [&str; 2] = ["DVM010", "DVM011"];

/// Codes that have words instead of an example.
const WORDS_ONLY: [&str; 6] = [
    // The compiler of another machine, or an option that clang and the compiler take differently.
    "DVM012",
    // Scalars that count by a value in memory meet other refusals before this one; the check is a second net.
    "DVM035",
    // Distances near the limits of types, or a scheduler that finds nothing: no small text is known that does so for
    // each version of isl.
    "DVM103",
    // The analysis runs until its limit: seconds, and another region with each change of the analysis.
    "DVM104", // About drawings, not about texts.
    "DVM105", // A defect of the tool; one that is known is mended.
    "DVM109",
];

/// What is said about an example, which may be several files: the first of them is read.
fn messages(folder: &Path, code: Code, name: &str, text: &str) -> String {
    let folder = folder.join(format!("{code}_{name}"));
    std::fs::create_dir(&folder).unwrap();
    let first = format!("{code}.c");
    let named = if text.starts_with("/* File ") { text.to_owned() } else { format!("/* File {first}: */\n{text}") };
    let files: Vec<(&str, &str)> =
        named.split("/* File ").skip(1).map(|file| file.split_once(": */\n").expect("a name and a text")).collect();
    for (name, text) in &files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let file = folder.join(files[0].0);
    if OF_DVMCC.contains(&code.text()) {
        // Whether the compiler itself takes the file is not the point.
        let output = run(env!("CARGO_BIN_EXE_dvmcc"), &["-fsyntax-only", &file.to_string_lossy()]);
        return String::from_utf8(output.stderr).unwrap();
    }
    let output = run(env!("CARGO_BIN_EXE_dvm-codegen"), &["tile", &file.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(0), "{code} {name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

/// The codes in messages, each once, in their order.
fn codes(messages: &str) -> Vec<String> {
    let mut found: Vec<String> =
        messages.lines().filter_map(|line| Some(line.strip_suffix(']')?.rsplit_once(" [DVM")?.1.to_owned())).collect();
    found.dedup();
    found
}

#[test]
fn each_code_has_a_failing_and_a_mended_example() {
    let folder = testkit::scratch(&[]);
    let mut words_only = Vec::new();
    for code in Code::ALL {
        let Example::Files { refused, accepted } = code.example() else {
            words_only.push(code.text());
            continue;
        };
        let said = messages(&folder, *code, "refused", refused);
        assert_eq!(codes(&said), [&code.text()[3..]], "{code}: {said}");
        let said = messages(&folder, *code, "accepted", accepted);
        assert!(!said.contains("warning:") && !said.contains("error:"), "{code}: {said}");
    }
    assert_eq!(words_only, WORDS_ONLY);
}

#[test]
fn both_programs_explain() {
    for code in Code::ALL {
        let (dvmcc, tool) = (env!("CARGO_BIN_EXE_dvmcc"), env!("CARGO_BIN_EXE_dvm-codegen"));
        for output in [run(dvmcc, &["--explain", code.text()]), run(tool, &["explain", code.text()])] {
            assert!(output.status.success());
            assert_eq!(String::from_utf8_lossy(&output.stdout), explanation(*code));
        }
    }
    let list = run(env!("CARGO_BIN_EXE_dvmcc"), &["--explain"]);
    assert_eq!(String::from_utf8_lossy(&list.stdout).lines().count(), Code::ALL.len());
    let wrong = run(env!("CARGO_BIN_EXE_dvmcc"), &["--explain=DVM999"]);
    assert!(!wrong.status.success() && String::from_utf8_lossy(&wrong.stderr).contains("`DVM999` is no code"));
}

#[test]
fn the_page_tells_all() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/refusals.md");
    testkit::expect(&file, &page());
}
