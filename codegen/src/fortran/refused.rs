//! Why a region of Fortran stays as it was.

use std::fmt::Write as _;
use std::path::Path;

/// A line, a reason and a remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FortranRefusal {
    /// The line of the source, from 1.
    pub line: u32,
    /// What stands in the way.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

impl FortranRefusal {
    /// A refusal about a line.
    pub fn new(line: u32, reason: &str, remedy: &str) -> FortranRefusal {
        FortranRefusal { line, reason: reason.to_owned(), remedy: remedy.to_owned() }
    }

    /// The message; `severity` is `warning` or `error`.
    pub fn render(&self, file: &Path, region: &str, severity: &str) -> String {
        let (file, line) = (file.display(), self.line);
        let mut text = format!("{file}:{line}:1: {severity}: region '{region}' stays sequential: {}\n", self.reason);
        if !self.remedy.is_empty() {
            let _ = writeln!(text, "{file}:{line}:1: note: {}", self.remedy);
        }
        text
    }
}
