//! Each code of a refusal: its first example is refused with that code, its second one is accepted, and the page tells both.

use dvm_codegen::refusal::{Code, Example, explanation, page};
use std::path::Path;
use std::process::{Command, Output};

fn run(program: &str, words: &[&str]) -> Output {
    Command::new(program).args(words).output().unwrap()
}

/// What `dvm-codegen tile` says about a text.
fn messages(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let output = run(env!("CARGO_BIN_EXE_dvm-codegen"), &["tile", &file.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&output.stderr));
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
    let mut compiled = 0;
    for code in Code::ALL {
        let Example::Files { refused, accepted } = code.example() else { continue };
        let said = messages(&folder, &format!("{code}_refused.c"), refused);
        assert_eq!(codes(&said), [&code.text()[3..]], "{code}: {said}");
        let said = messages(&folder, &format!("{code}_accepted.c"), accepted);
        assert!(!said.contains("warning:"), "{code}: {said}");
        compiled += 1;
    }
    // The others are about what one C file cannot show.
    assert!(compiled + 13 >= Code::ALL.len(), "{compiled} of {} codes have examples", Code::ALL.len());
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
