//! What the preprocessor makes of a file: which pragmas the compiler sees, and which macros are alive there.

use super::clang::{self, ClangError};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// Macros by name: what follows the name in the definition.
pub type Macros = HashMap<String, String>;

/// A pragma of ours as the compiler sees it, wherever it was written.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The file, as clang names it; `None`: the file that is compiled.
    pub header: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// Macros that are defined there.
    pub macros: Macros,
    /// Macros that included files defined or undefined, each with the line of the compiled file that includes them.
    pub included: Vec<(u32, String)>,
    /// The whole file.
    pub whole: Rc<Whole>,
    /// How many of the file's pragmas stand before.
    pub before: usize,
}

/// A file after the preprocessor.
#[derive(Debug, Default)]
pub struct Whole {
    /// The text with line marks and definitions.
    pub text: String,
    /// Pragmas that are not ours, also those that macros make: the line of the compiled file, and the words.
    pub pragmas: Vec<(u32, String)>,
}

/// Runs the preprocessor over a file with the user's own flags.
pub fn run(file: &Path, flags: &[String]) -> Result<Vec<Seen>, ClangError> {
    let output = clang::run(&["-E", "-dD"], file, flags)?;
    Ok(read(&String::from_utf8_lossy(&output), &file.to_string_lossy()))
}

/// Whether the words after `#pragma` are ours.
pub fn is_ours(words: &str) -> bool {
    let first = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    matches!(first, Some("dvm" | "scop" | "endscop"))
}

/// Reads preprocessed text with its line marks and definitions.
fn read(text: &str, main: &str) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut macros = Macros::new();
    let mut included = Vec::new();
    let mut whole = Whole { text: text.to_owned(), pragmas: vec![] };
    let (mut file, mut line, mut main_line) = (String::new(), 1_u32, 0_u32);
    for row in text.lines() {
        if let Some((number, name)) = row.strip_prefix("# ").and_then(mark) {
            (file, line) = (name, number);
            continue;
        }
        let inside = file == main;
        if inside {
            main_line = line;
        }
        if let Some((name, value)) = definition(row) {
            if !inside {
                included.push((main_line, name.clone()));
            }
            match value {
                Some(value) => drop(macros.insert(name, value)),
                None => drop(macros.remove(&name)),
            }
        } else if row.strip_prefix("#pragma ").is_some_and(is_ours) {
            let header = (!inside).then(|| file.clone());
            let before = whole.pragmas.len();
            let (macros, included) = (macros.clone(), included.clone());
            seen.push(Seen { header, line, macros, included, whole: Rc::default(), before });
        } else if let Some(words) = row.strip_prefix("#pragma ") {
            whole.pragmas.push((main_line, words.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
        line += 1;
    }
    let whole = Rc::new(whole);
    for one in &mut seen {
        one.whole = whole.clone();
    }
    seen
}

/// `12 "file" 1 3`.
fn mark(rest: &str) -> Option<(u32, String)> {
    let (number, rest) = rest.split_once(' ')?;
    let quoted = &rest[rest.find('"')? + 1..rest.rfind('"')?];
    let (mut name, mut escaped) = (String::new(), false);
    for c in quoted.chars() {
        escaped = c == '\\' && !escaped;
        if !escaped {
            name.push(c);
        }
    }
    Some((number.parse().ok()?, name))
}

/// A name with its definition, or without one: it is undefined here.
fn definition(row: &str) -> Option<(String, Option<String>)> {
    let (rest, defined) = match row.strip_prefix("#define ") {
        Some(rest) => (rest, true),
        None => (row.strip_prefix("#undef ")?, false),
    };
    let end = rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len());
    let (name, value) = rest.split_at(end);
    Some((name.to_owned(), defined.then(|| value.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_are_found_with_their_macros_and_files() {
        let text = "# 1 \"a.c\"\n#define A(x) x\n#define B 1\n# 1 \"d\\\\ir/b.h\" 1\n#define C\n#pragma scop\n#undef A\n\
                    # 4 \"a.c\" 2\n\n#pragma omp parallel\n#pragma dvm region\n";
        let seen = read(text, "a.c");
        assert_eq!(seen.len(), 2);
        assert_eq!((seen[0].header.as_deref(), seen[0].line), (Some("d\\ir/b.h"), 2));
        assert_eq!(seen[0].macros.get("A").map(String::as_str), Some("(x) x"));
        assert_eq!((seen[1].header.as_deref(), seen[1].line), (None, 6));
        assert!(!seen[1].macros.contains_key("A") && seen[1].macros.get("B").is_some_and(|v| v == " 1"));
        assert_eq!(seen[1].included, [(2, "C".to_owned()), (2, "A".to_owned())]);
    }
}
