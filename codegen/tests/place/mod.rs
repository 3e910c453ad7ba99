//! Commands in a test's folder.

use std::path::Path;
use std::process::{Command, Output};

/// Runs a command in a folder.
pub fn run(command: &mut Command, folder: &Path, line: &str) -> Output {
    command.current_dir(folder).args(line.split_whitespace()).output().expect("the command runs")
}

/// What a command wrote to standard error.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command wrote to standard output.
#[allow(dead_code)]
pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
