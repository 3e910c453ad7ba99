//! C in, models out: each `tests/models/NAME.c` gives `NAME.model`. With `DVM_BLESS=1` the expectations are rewritten.

mod clangs;

use std::path::Path;
use std::process::Command;

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    for clang in clangs::all(name) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
        command.current_dir(&folder).args(["tile", "--print=model"]).arg(format!("{name}.c"));
        let output = command.env("DVM_CLANG", clang).output().expect("dvm-codegen runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        testkit::expect(folder.join(name).with_extension("model"), &text);
        let regions = text
            .split("\nregion ")
            .map(|r| if r.starts_with("region ") { r.to_owned() } else { format!("region {r}") });
        for region in regions.filter(|_| output.stderr.is_empty()) {
            let read: Result<dvm_codegen::model::Region, _> = region.parse();
            assert_eq!(read.map(|r| r.to_string().trim_end().to_owned()), Ok(region.trim_end().to_owned()));
        }
    }
}

testkit::file_tests! {
    check in "tests/models", "c":
    atomic conditions division extremes headers liveness locals names reassociate scalars structs tables unsigned
}
