//! Wrong cases end `redist` with an error that names the place, and leave no file.

use std::path::Path;
use std::process::Command;

fn variable(name: &str, coef: &str, lo: &str, hi: &str) -> String {
    format!(r#"{{"name":"{name}","coef":{coef},"lo":{lo},"hi":{hi},"kind":"data"}}"#)
}

fn side(variables: &[String]) -> String {
    format!(r#"{{"dims":[{{"vars":[{}]}}]}}"#, variables.join(","))
}

#[test]
fn wrong_input_names_its_place_and_writes_nothing() {
    let folder = testkit::scratch(&[]);
    let good = side(&[variable("a", "1", "0", "9")]);
    let of = |name: &str| format!(r#"{{"coef":{{"{name}":1}}}}"#);
    let circle = side(&[variable("a", "1", "0", &of("b")), variable("b", "1", "0", &of("a"))]);
    let unknown = side(&[variable("a", "1", "0", &of("N"))]);
    let large = side(&[variable("a", "4611686018427387905", "0", "9")]);
    let two = r#"{"dims":[{"vars":[]},{"vars":[]}]}"#.to_owned();
    let cases = [
        (&circle, &good, "", "circle", "source.dims[0].vars[0]"),
        (&good, &unknown, "", "unknown name 'N'", "target.dims[0].vars[0].hi"),
        (&large, &good, "", "2^62", "source.dims[0].vars[0].coef"),
        (&good, &two, "", "2 dimensions", "target.dims"),
        (&good, &good, r#","element_size":-8"#, "-8", "element_size"),
    ];
    for (source, target, more, what, place) in cases {
        // A right case before it: that one is not written either.
        let right = format!(r#"{{"id":"right","source":{good},"target":{good}}}"#);
        let wrong = format!(r#"{{"id":"wrong","source":{source},"target":{target}{more}}}"#);
        std::fs::write(folder.join("cases.json"), format!(r#"{{"cases":[{right},{wrong}]}}"#)).unwrap();
        for arguments in [
            &["redist", "plan", "cases.json", "--out", "out"][..],
            &["redist", "draw", "cases.json", "--case", "wrong", "--out", "out"],
            &["redist", "c", "cases.json", "--out", "."],
        ] {
            let command = env!("CARGO_BIN_EXE_dvm-codegen");
            let output = Command::new(command).args(arguments).current_dir(&folder).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{arguments:?}: {what}");
            assert!(
                told.contains(what) && told.contains(place) && told.contains("case 'wrong'"),
                "{arguments:?}: {told}"
            );
            assert!(output.stdout.is_empty());
            let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().file_name()).collect();
            assert_eq!(left, ["cases.json"], "{arguments:?}: {what}");
        }
    }
}

/// A range without values is no mistake, and is told.
#[test]
fn an_empty_range_is_told() {
    let folder = testkit::scratch(&[]);
    let (good, empty) = (side(&[variable("a", "1", "0", "9")]), side(&[variable("z", "1", "5", "4")]));
    std::fs::write(folder.join("cases.json"), format!(r#"{{"id":"e","source":{empty},"target":{good}}}"#)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let output = command.args(["redist", "plan", "cases.json"]).current_dir(&folder).output().unwrap();
    let (told, plan) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success() && told.contains("'z' is empty"), "{told}");
    assert!(plan.contains(r#""missing_locations":10"#) && plan.contains(r#""transfers": []"#), "{plan}");
}

/// A strategy that cannot be followed is told on standard error and in the figures.
#[test]
fn a_strategy_that_is_not_followed_is_told() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    let arguments = ["redist", "plan", "docs/redistribution/cases.json", "--case", "block", "--strategy", "windows"];
    let output = command.args(arguments).current_dir(root).output().unwrap();
    let (told, plan) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(told.contains("case 'block'") && told.contains("strategy windows needs"), "{told}");
    assert!(plan.contains("notes") && plan.contains("strategy windows needs"), "{plan}");
}
