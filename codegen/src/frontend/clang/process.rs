//! Clang as a subprocess: the only parser of C in the tool.

use super::ast::Unit;
use super::integer_options::IntegerOptions;
use crate::limits::{self, Written};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

/// Why there is no syntax tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ClangError {
    /// The command does not exist or cannot be run.
    Missing {
        /// The command.
        command: String,
        /// The system's error text.
        why: String,
    },
    /// Clang's error messages about the file.
    Rejected(String),
    /// The dump is not in the expected form.
    Dump(String),
    /// The file takes too much time or memory, with the exceeded resource.
    Beyond(String),
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
            ClangError::Beyond(reason) => f.write_str(reason),
        }
    }
}

/// The clang command: `DVM_CLANG`, or `clang`.
pub fn command() -> String {
    std::env::var("DVM_CLANG").ok().filter(|c| !c.trim().is_empty()).unwrap_or_else(|| "clang".to_owned())
}

/// Parses a C file with the user's own flags (`-I`, `-D`, `-std` ...).
pub fn parse(file: &Path, flags: &[String]) -> Result<Unit, ClangError> {
    let dump = start(&TREE, file, flags, Stdio::null(), |_| {})?;
    let mut unit = Unit::parse(&dump, &file.to_string_lossy()).map_err(ClangError::Dump)?;
    let aliasing = flags.iter().rev().find(|f| matches!(f.as_str(), "-fstrict-aliasing" | "-fno-strict-aliasing"));
    unit.strict_aliasing = aliasing.is_none_or(|f| f == "-fstrict-aliasing");
    unit.integer_options = IntegerOptions::of(flags);
    Ok(unit)
}

/// A way to read a file, with its limits.
struct Reading {
    options: &'static [&'static str],
    seconds: u64,
    bytes: usize,
    /// The name of the output that is limited to these bytes.
    result: &'static str,
}

const TREE: Reading = Reading {
    options: &["-fsyntax-only", "-Xclang", "-ast-dump=json"],
    seconds: limits::PARSER,
    bytes: limits::TREE,
    result: "clang's syntax tree of the file",
};

const TEXT: Reading = Reading {
    options: &["-E", "-dD", "-dI"],
    seconds: limits::PREPROCESSOR,
    bytes: limits::TEXT,
    result: "the file after the preprocessor",
};

/// The preprocessed text, with line markers, definitions and includes.
pub fn preprocess(file: &Path, flags: &[String]) -> Result<Vec<u8>, ClangError> {
    start(&TEXT, file, flags, Stdio::null(), |_| {})
}

/// The same for text on clang's standard input.
pub fn preprocess_text(text: &[u8], flags: &[String]) -> Result<Vec<u8>, ClangError> {
    start(&TEXT, Path::new("-"), flags, Stdio::piped(), |input| {
        // If clang stops reading early, its messages say why.
        let _ = input.map(|mut input| input.write_all(text));
    })
}

fn start(
    reading: &Reading,
    file: &Path,
    flags: &[String],
    input: Stdio,
    feed: impl FnOnce(Option<ChildStdin>) + Send,
) -> Result<Vec<u8>, ClangError> {
    let command = command();
    let missing = |e: std::io::Error| ClangError::Missing { command: command.clone(), why: e.to_string() };
    let mut held = limits::held(&command, reading.seconds, limits::READING);
    held.args(["-x", "c", "-w", "-fno-color-diagnostics", "-fno-crash-diagnostics", "-U__clang__"]).args(flags);
    held.args(reading.options).arg(file).stdin(input);
    let Written { status, output, messages } = limits::run(&mut held, reading.bytes, feed).map_err(missing)?;
    let Some(output) = output else {
        return Err(ClangError::Beyond(format!("{} has more than {} MB", reading.result, reading.bytes >> 20)));
    };
    match status.code() {
        Some(0) => return Ok(output),
        // The shell did not find the command, or could not start it.
        Some(126 | 127) => drop(Command::new(&command).arg("--version").output().map_err(missing)?),
        Some(code) if code < 128 => {}
        // Ended by a signal, in clang or in its child process.
        code => {
            let signal = code.map_or_else(|| status.signal().unwrap_or(0), |code| code - 128);
            let what = match signal {
                SIGKILL | SIGXCPU => format!("takes more than {} s", reading.seconds),
                _ => "needs more than 1 GB, or fails".to_owned(),
            };
            return Err(ClangError::Beyond(format!("clang, which reads the file, {what}")));
        }
    }
    Err(ClangError::Rejected(String::from_utf8_lossy(&messages).into_owned()))
}

const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;
