//! Runs flang, which lowers a file to HLFIR.

use crate::limits;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Most processor time, in seconds, and bytes that flang may write.
const SECONDS: u64 = 60;
const BYTES: usize = 64 << 20;

/// The first of `DVM_FLANG` and the names of Debian and LLVM that is there.
pub fn find() -> Option<String> {
    let named = std::env::var("DVM_FLANG").ok().filter(|name| !name.is_empty());
    if named.is_some() {
        return named;
    }
    let there = |name: &&str| {
        let mut command = Command::new(name);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    ["flang-new-19", "flang-19", "flang-new", "flang"].into_iter().find(there).map(str::to_owned)
}

/// Flang, and one file.
#[derive(Debug)]
pub struct Flang {
    /// The program.
    pub program: String,
    /// The file, as a whole path.
    pub source: PathBuf,
    /// Folders and macros, and how the file is laid out.
    pub options: Vec<String>,
    /// Module files that it may read: it runs there, as it looks there first.
    pub modules: PathBuf,
    /// Where it writes module files.
    pub made: PathBuf,
}

impl Flang {
    /// What flang prints with the options `action`, or its first message.
    pub fn print(&self, action: &[&str]) -> Result<String, String> {
        let mut command = limits::held(&self.program, SECONDS, limits::MEMORY);
        command.arg("-fc1").args(action).arg("-I").arg(&self.modules).args(&self.options);
        command.arg("-module-dir").arg(&self.made).args(["-o", "-"]).arg(&self.source);
        command.current_dir(&self.modules).env("LC_ALL", "C").stdin(Stdio::null());
        let written =
            limits::run(&mut command, BYTES, drop).map_err(|e| format!("`{}` does not run: {e}", self.program))?;
        if !written.status.success() {
            let messages = String::from_utf8_lossy(&written.messages).into_owned();
            // A module that is missing is the cause of other messages.
            let errors = || messages.lines().filter(|line| line.contains(": error: "));
            let missing = errors().find(|line| line.contains("Cannot read module file"));
            let first = missing.or(errors().next()).or(messages.lines().next());
            return Err(format!("flang does not take this file: {}", first.unwrap_or("no message")));
        }
        let text = written.output.ok_or("flang's text about this file is too long")?;
        String::from_utf8(text).map_err(|_| "flang's text is not UTF-8".to_owned())
    }
}
