//! C in, models out: each `tests/models/NAME.c` gives `NAME.model`. With `DVM_BLESS=1` the expectations are rewritten.

mod clangs;

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn sources_give_their_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let entries = std::fs::read_dir(&folder).expect("the folder of models").flatten().map(|e| e.path());
    let mut sources: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "c")).collect();
    sources.sort();
    assert!(!sources.is_empty());
    let mut wrong = Vec::new();
    let clangs = clangs::all("models");
    for (source, clang) in sources.iter().flat_map(|source| clangs.iter().map(move |clang| (source, clang))) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
        command.current_dir(&folder).args(["tile", "--print=model"]).arg(source.file_name().expect("a name"));
        let output = command.env("DVM_CLANG", clang).output().expect("dvm-codegen runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let expectation = source.with_extension("model");
        if std::env::var_os("DVM_BLESS").is_some() {
            std::fs::write(&expectation, &text).expect("a writable expectation");
        } else if std::fs::read_to_string(&expectation).unwrap_or_default() != text {
            wrong.push(format!("{clang}: {}:\n{text}", source.display()));
        }
        let regions = text
            .split("\nregion ")
            .map(|r| if r.starts_with("region ") { r.to_owned() } else { format!("region {r}") });
        for region in regions.filter(|_| output.stderr.is_empty()) {
            let read: Result<dvm_codegen::model::Region, _> = region.parse();
            assert_eq!(read.map(|r| r.to_string().trim_end().to_owned()), Ok(region.trim_end().to_owned()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
