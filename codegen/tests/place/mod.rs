//! A folder of its own for a test's files, and commands in it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A fresh folder with some files.
pub fn place(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", env!("CARGO_CRATE_NAME")));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        std::fs::write(&path, text).expect("a file");
        if text.starts_with("#!") {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable script");
        }
    }
    folder
}

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
