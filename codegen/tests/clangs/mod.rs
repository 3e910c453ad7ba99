//! The clangs that read each source: the default one, and a second version where it is installed.

use std::process::{Command, Stdio};

/// The second version (`packages-check.txt`).
const SECOND: &str = "clang-19";

/// The commands, the default first. Says by name when the second version is missing.
pub fn all(test: &str) -> Vec<&'static str> {
    let there = Command::new(SECOND).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if there.is_ok_and(|status| status.success()) {
        return vec!["clang", SECOND];
    }
    eprintln!("SKIPPED {test} with {SECOND}: not installed");
    vec!["clang"]
}
