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

    /// The same about a call of a procedure at a line, in whose text it was found.
    pub fn of_call(self, line: u32, name: &str, outside: &str) -> FortranRefusal {
        if self.reason.starts_with("a call of `") {
            return FortranRefusal { line, ..self };
        }
        let at = if self.line == line { String::new() } else { format!(" at line {}", self.line) };
        let remedy = if self.remedy.is_empty() { outside } else { &self.remedy };
        let reason = format!("a call of `{name}`, which is not taken{at}: {}", self.reason);
        FortranRefusal::new(line, &reason, remedy)
    }

    /// The message; `severity` is `warning` or `error`.
    pub fn render(&self, file: &Path, region: &str, severity: &str) -> String {
        let (file, line) = (file.display(), self.line);
        let mut text =
            format!("{file}:{line}:1: {severity}: region '{region}' stays sequential: {}\n", of_the_user(&self.reason));
        if !self.remedy.is_empty() {
            let _ = writeln!(text, "{file}:{line}:1: note: {}", self.remedy);
        }
        text
    }
}

/// A text in which local variables of subroutines whose text stands for a call have their own names: `t` for `_c3_t`.
fn of_the_user(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_c") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let digits = from[2..].bytes().take_while(u8::is_ascii_digit).count();
        let begins = !out.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let length = if begins && digits > 0 && from[2 + digits..].starts_with('_') { 3 + digits } else { 0 };
        let kept = if length == 0 { 2 } else { 0 };
        out.push_str(&from[..kept]);
        rest = &from[length + kept..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_user() {
        assert_eq!(of_the_user("`_c12_t` is read; _c and a_c1_b stay"), "`t` is read; _c and a_c1_b stay");
    }
}
