//! Clang as a subprocess: the only parser of C here.

use super::ast::Unit;
use super::constant::Dialect;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Why there is no syntax tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClangError {
    /// The command does not exist or cannot be run.
    Missing {
        /// The command.
        command: String,
        /// The system's words.
        why: String,
    },
    /// Clang found the file wrong; its messages.
    Rejected(String),
    /// The dump could not be understood.
    Dump(String),
}

impl std::fmt::Display for ClangError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClangError::Missing { command, why } => write!(
                f,
                "cannot run `{command}` ({why}), which reads the C source; install it (Debian: apt-get install clang, \
                 Fedora: dnf install clang) or name another with DVM_CLANG"
            ),
            ClangError::Rejected(messages) => write!(
                f,
                "clang does not accept the file, and it is what reads regions; correct the file, or move what only \
                 another compiler knows to a file of its own:\n{}",
                messages.trim_end()
            ),
            ClangError::Dump(why) => {
                write!(f, "clang's syntax tree cannot be read: {why} (clang 14 or later is needed)")
            }
        }
    }
}

/// The clang that is used: `DVM_CLANG`, or `clang`.
pub fn command() -> String {
    std::env::var("DVM_CLANG").ok().filter(|c| !c.trim().is_empty()).unwrap_or_else(|| "clang".to_owned())
}

/// Parses a C file with the user's own flags (`-I`, `-D`, `-std` ...).
pub fn parse(file: &Path, flags: &[String]) -> Result<Unit, ClangError> {
    let dump = run(&["-fsyntax-only", "-Xclang", "-ast-dump=json"], file, flags)?;
    let mut unit = Unit::parse(&dump, &file.to_string_lossy()).map_err(ClangError::Dump)?;
    let aliasing = flags.iter().rev().find(|f| matches!(f.as_str(), "-fstrict-aliasing" | "-fno-strict-aliasing"));
    unit.strict_aliasing = aliasing.is_none_or(|f| f == "-fstrict-aliasing");
    unit.dialect = Dialect::of(flags);
    Ok(unit)
}

/// What clang writes when it reads a C file in the way that `what` says.
pub fn run(what: &[&str], file: &Path, flags: &[String]) -> Result<Vec<u8>, ClangError> {
    start(what, file, flags, Stdio::null(), Child::wait_with_output)
}

/// The same for text on clang's standard input.
pub fn run_text(what: &[&str], text: &[u8], flags: &[String]) -> Result<Vec<u8>, ClangError> {
    start(what, Path::new("-"), flags, Stdio::piped(), |mut child| {
        let input = child.stdin.take();
        std::thread::scope(|scope| {
            // A clang that does not read to the end says why.
            scope.spawn(move || input.map(|mut input| input.write_all(text)));
            child.wait_with_output()
        })
    })
}

fn start(
    what: &[&str],
    file: &Path,
    flags: &[String],
    input: Stdio,
    finish: impl FnOnce(Child) -> std::io::Result<Output>,
) -> Result<Vec<u8>, ClangError> {
    let command = command();
    let child = Command::new(&command)
        .args(["-x", "c", "-w", "-fno-color-diagnostics", "-U__clang__"])
        .args(flags)
        .args(what)
        .arg(file)
        .stdin(input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output =
        child.and_then(finish).map_err(|e| ClangError::Missing { command: command.clone(), why: e.to_string() })?;
    if !output.status.success() {
        return Err(ClangError::Rejected(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(output.stdout)
}
