//! Wrong inputs: each gets its message, stays byte for byte as it was, and is an error when that is asked for.

mod clangs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tile(clang: &str, file: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    command.arg("tile").arg(file).args(more).env("DVM_CLANG", clang).output().expect("dvm-codegen runs")
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused");
    let files = std::fs::read_dir(folder).expect("the folder of wrong inputs").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}

#[test]
fn each_wrong_input_gets_its_message() {
    let files = files();
    assert!(files.len() >= 25, "only {} wrong inputs", files.len());
    let mut wrong = Vec::new();
    let clangs = clangs::all("wrong inputs");
    for (file, clang) in files.iter().flat_map(|file| clangs.iter().map(move |clang| (file, clang))) {
        let text = std::fs::read_to_string(file).expect("a readable file");
        let first = text.lines().next().unwrap_or_default();
        let expected = first.strip_prefix("/* expect: ").and_then(|l| l.strip_suffix(" */")).expect("an expectation");
        let output = tile(clang, file, &["--print=c"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let placed = said.starts_with(&format!("{}:", file.display()));
        let complete = said.contains("stays sequential: ") && said.contains(": note: ") && said.contains('^');
        if !said.contains(expected) || !placed || !complete || output.status.code() != Some(0) {
            wrong.push(format!("{clang}: {}: {:?}: {said}", file.display(), output.status.code()));
        }
        if output.stdout != text.as_bytes() {
            wrong.push(format!("{}: the text changed", file.display()));
        }
        let strict = tile(clang, file, &["--strict"]);
        let said = String::from_utf8_lossy(&strict.stderr).into_owned();
        if strict.status.code() != Some(1) || !strict.stdout.is_empty() || !said.contains(": error: region") {
            wrong.push(format!("{}: strict: {:?}: {said}", file.display(), strict.status.code()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
