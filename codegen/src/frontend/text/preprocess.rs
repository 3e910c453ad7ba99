//! Runs the preprocessor: which pragmas the compiler sees, and which macros are defined there.

use crate::frontend::clang::process::{self, ClangError};
use crate::source::Source;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Macros by name, each with its definition after the name.
pub type Macros = HashMap<String, String>;

/// A region pragma that the compiler sees, wherever it is written.
#[derive(Debug, Clone)]
pub struct Seen {
    /// The file, by clang's name; `None`: the compiled file.
    pub header: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// Macros defined at the pragma.
    pub macros: Rc<Macros>,
    /// Macros that included files define or undefine, each with the line of the `#include` in the compiled file.
    pub included: Rc<Vec<(u32, String)>>,
    /// Lines of the compiled file whose pragmas the compiler sees.
    pub pragmas: Rc<Vec<u32>>,
    /// The whole preprocessed file.
    pub whole: Rc<Whole>,
}

/// A file after the preprocessor.
#[derive(Debug, Default)]
pub struct Whole {
    /// The text with line markers and definitions.
    pub text: String,
    /// Other pragmas, including those that macros produce: the line in the compiled file, and the words.
    pub pragmas: Vec<(u32, String)>,
}

/// The preprocessor's view of a file.
#[derive(Debug, Clone, Default)]
pub struct Preprocessed {
    /// The region pragmas.
    pub seen: Vec<Seen>,
    /// Quoted includes inside included files: the folder of the including file, and the name.
    pub quoted: Vec<(PathBuf, String)>,
    /// The files that were read, by clang's names.
    pub files: BTreeSet<String>,
    /// Those that are headers of the system, which are not compared with what the compiler sees.
    pub of_system: BTreeSet<String>,
}

/// Runs the preprocessor on a file with the user's own flags. Line numbers are physical ones.
pub fn run(source: &Source, flags: &[String]) -> Result<Preprocessed, ClangError> {
    if source.renumbered().next().is_none() {
        let output = process::preprocess(&source.path, flags)?;
        return Ok(read(text_of(output), &source.path.to_string_lossy()));
    }
    // Without `#line` directives, line markers give physical lines.
    let text = source.without(&source.renumbered().collect::<Vec<_>>());
    Ok(read(text_of(from_input(&text, flags)?), "<stdin>"))
}

/// Runs the preprocessor on a text that is not a file, as if it stood in the folder of its path.
pub fn from_input(text: &Source, flags: &[String]) -> Result<Vec<u8>, ClangError> {
    let mut flags = flags.to_vec();
    flags.extend(["-iquote".to_owned(), text.folder().display().to_string()]);
    process::preprocess_text(&text.bytes, &flags)
}

fn text_of(output: Vec<u8>) -> String {
    String::from_utf8(output).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Whether the words after `#pragma` mark a region.
pub fn is_ours(words: &str) -> bool {
    let first = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    matches!(first, Some("dvm" | "scop" | "endscop"))
}

/// Reads preprocessed text with its line markers and definitions.
fn read(text: String, main: &str) -> Preprocessed {
    let (mut seen, mut pragmas, mut quoted) = (Vec::new(), Vec::new(), Vec::new());
    // The pragmas share these; a definition after a pragma makes a copy.
    let (mut macros, mut included) = (Rc::new(Macros::new()), Rc::new(Vec::new()));
    let mut others = Vec::new();
    let (mut file, mut line, mut main_line) = (String::new(), 1_u32, 0_u32);
    let (mut files, mut of_system) = (BTreeSet::new(), BTreeSet::new());
    for row in text.lines() {
        if let Some((number, name, is_system)) = row.strip_prefix("# ").and_then(mark) {
            (file, line) = (name, number);
            if is_system && !of_system.contains(&file) {
                of_system.insert(file.clone());
            }
            if !files.contains(&file) {
                files.insert(file.clone());
            }
            continue;
        }
        let inside = file == main;
        if inside {
            main_line = line;
        }
        if let Some((name, value)) = definition(row) {
            if !inside {
                Rc::make_mut(&mut included).push((main_line, name.clone()));
            }
            let macros = Rc::make_mut(&mut macros);
            match value {
                Some(value) => drop(macros.insert(name, value)),
                None => drop(macros.remove(&name)),
            }
        } else if let Some(words) = row.strip_prefix("#pragma ") {
            if is_ours(words) {
                let header = (!inside).then(|| file.clone());
                seen.push(Seen {
                    header,
                    line,
                    macros: macros.clone(),
                    included: included.clone(),
                    pragmas: Rc::default(),
                    whole: Rc::default(),
                });
            } else {
                others.push((main_line, words.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
            if inside {
                pragmas.push(line);
            }
        } else if let Some(name) = row.strip_prefix("#include \"").filter(|_| !inside) {
            let folder = Path::new(&file).parent().unwrap_or(Path::new(""));
            quoted.extend(name.split_once('"').map(|(name, _)| (folder.to_owned(), name.to_owned())));
            // Clang adds this line; the file does not have it.
            continue;
        }
        line += 1;
    }
    let (whole, pragmas) = (Rc::new(Whole { text, pragmas: others }), Rc::new(pragmas));
    for one in &mut seen {
        (one.whole, one.pragmas) = (whole.clone(), pragmas.clone());
    }
    Preprocessed { seen, quoted, files, of_system }
}

/// `12 "file" 1 3`: the line, the file, and whether it is a header of the system.
fn mark(rest: &str) -> Option<(u32, String, bool)> {
    let (number, rest) = rest.split_once(' ')?;
    let end = rest.rfind('"')?;
    let quoted = &rest[rest.find('"')? + 1..end];
    let (mut name, mut escaped) = (String::new(), false);
    for c in quoted.chars() {
        escaped = c == '\\' && !escaped;
        if !escaped {
            name.push(c);
        }
    }
    Some((number.parse().ok()?, name, rest[end + 1..].split_whitespace().any(|flag| flag == "3")))
}

/// A macro's name, and its definition; `None` if the line undefines the macro.
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
        let text = "# 1 \"a.c\"\n#define A(x) x\n#define B 1\n# 1 \"d\\\\ir/b.h\" 1\n#include \"c.h\" /* clang -E -dI */\n#define C\n#pragma scop\n#undef A\n\
                    # 4 \"a.c\" 2\n\n#pragma omp parallel\n#pragma dvm region\n";
        let Preprocessed { seen, quoted, .. } = read(text.to_owned(), "a.c");
        assert_eq!((seen.len(), seen[1].pragmas.as_slice()), (2, [5, 6].as_slice()));
        assert_eq!(quoted, [(PathBuf::from("d\\ir"), "c.h".to_owned())]);
        assert_eq!((seen[0].header.as_deref(), seen[0].line), (Some("d\\ir/b.h"), 2));
        assert_eq!(seen[0].macros.get("A").map(String::as_str), Some("(x) x"));
        assert_eq!((seen[1].header.as_deref(), seen[1].line), (None, 6));
        assert!(!seen[1].macros.contains_key("A") && seen[1].macros.get("B").is_some_and(|v| v == " 1"));
        assert_eq!(*seen[1].included, [(2, "C".to_owned()), (2, "A".to_owned())]);
    }
}
