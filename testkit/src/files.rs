//! A test for each file of a folder.

use std::collections::BTreeSet;
use std::path::Path;

/// `file_tests! { check in "FOLDER", "ENDING": NAME ... }` makes a test of each name, which calls `check` with it, and one
/// that the list and the crate's folder have the same names.
#[macro_export]
macro_rules! file_tests {
    ($check:ident in $folder:literal, $ending:literal: $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                $check(stringify!($name));
            }
        )*

        #[test]
        fn every_file_has_its_test() {
            $crate::compare_names(concat!(env!("CARGO_MANIFEST_DIR"), "/", $folder), $ending, &[$(stringify!($name)),*]);
        }
    };
}

/// Panics unless these are the names, without their ending, of the files that have it.
pub fn compare_names(folder: &str, ending: &str, listed: &[&str]) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let files =
        entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.extension() == Some(ending.as_ref()));
    let stem = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let files: BTreeSet<String> = files.map(|path| stem(&path)).collect();
    let listed: BTreeSet<String> = listed.iter().map(ToString::to_string).collect();
    let difference: Vec<&String> = files.symmetric_difference(&listed).collect();
    assert!(difference.is_empty(), "only in {folder}, or only in the list of tests: {difference:?}");
}

#[test]
fn a_file_without_test_is_told() {
    let folder = crate::scratch(&[("one.c", ""), ("two.c", ""), ("other.h", "")]);
    let folder = folder.to_str().expect("a name");
    compare_names(folder, "c", &["one", "two"]);
    for listed in [&["one"][..], &["one", "two", "three"]] {
        assert!(std::panic::catch_unwind(|| compare_names(folder, "c", listed)).is_err(), "{listed:?}");
    }
}
