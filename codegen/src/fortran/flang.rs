//! Runs flang, which lowers a file to HLFIR.

use super::refused::FortranRefusal;
use crate::limits;
use std::path::Path;
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

/// What flang prints about a file; module files go to `scratch`.
pub fn lower(source: &Path, options: &[String], scratch: &Path, line: u32) -> Result<String, FortranRefusal> {
    let Some(flang) = find() else {
        let remedy = "install it (Debian: flang-19), or set DVM_FLANG to it";
        return Err(FortranRefusal::new(line, "flang, which reads Fortran for dvmfc, is not found", remedy));
    };
    let mut command = limits::held(&flang, SECONDS, limits::MEMORY);
    command.args(["-fc1", "-emit-hlfir", "-mmlir", "--mlir-print-debuginfo"]).args(options);
    command.arg("-module-dir").arg(scratch).args(["-o", "-"]).arg(source).env("LC_ALL", "C").stdin(Stdio::null());
    let say =
        |reason: String| FortranRefusal::new(line, &reason, "compile the file with flang to see all of its messages");
    let written = limits::run(&mut command, BYTES, drop).map_err(|e| say(format!("`{flang}` does not run: {e}")))?;
    if !written.status.success() {
        let messages = String::from_utf8_lossy(&written.messages).into_owned();
        let first = messages.lines().find(|l| l.contains("error")).or(messages.lines().next()).unwrap_or("no message");
        return Err(say(format!("flang does not take this file: {first}")));
    }
    let text = written.output.ok_or_else(|| say("flang's text about this file is too long".to_owned()))?;
    String::from_utf8(text).map_err(|_| say("flang's text is not UTF-8".to_owned()))
}
