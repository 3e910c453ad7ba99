//! Runs the preprocessor so that clang sees the program that the compiler sees, or tells where the two differ.

use super::clang::process::ClangError;
use super::text::missing_headers::{self, MissingHeaders};
use super::text::preprocess::Preprocessed;
use super::text::two_views::{self, Difference, PreprocessorView};
use crate::Refusal;
use crate::refusal::Code;
use crate::source::{Directive, Source};
use std::path::Path;

/// Clang calls itself gcc 4.2. This is the newest gcc as which it can read the system's headers: those for 7 and later use
/// types that it lacks.
const NEWER: (u32, &str) = (7, "-fgnuc-version=6.9.0");

/// A file as clang sees it.
pub struct ClangView {
    /// The preprocessed file.
    pub file: Preprocessed,
    /// The flags with which clang reads it.
    pub headers: MissingHeaders,
    /// Where the compiler sees something else.
    pub difference: Option<Difference>,
}

/// Preprocesses a file; `compiler_text` names the file with the compiler's own preprocessed text, if there is a compiler.
pub fn preprocess(source: &Source, flags: &[String], compiler_text: Option<&Path>) -> Result<ClangView, ClangError> {
    let (file, headers) = missing_headers::preprocess(source, flags)?;
    let usual = ClangView { file, headers, difference: None };
    let Some(path) = compiler_text.filter(|_| !usual.file.seen.is_empty()) else { return Ok(usual) };
    let Ok(text) = std::fs::read(path) else {
        let what = "what the compiler sees after its preprocessor, which it does not show (-E -dD -dI),".to_owned();
        let file = key_of(&source.path.to_string_lossy());
        return Ok(ClangView { difference: Some(Difference { file, line: 1, what }), ..usual });
    };
    let main = key_of(&source.path.to_string_lossy());
    let key = |name: &str| if name == "<stdin>" { main.clone() } else { key_of(name) };
    let own = source.without(&source.renumbered().collect::<Vec<_>>());
    let open = |name: &str| if name == main { Some(own.clone()) } else { Source::read(Path::new(name)).ok() };
    let compiler = PreprocessorView::read(&String::from_utf8_lossy(&text), &key);
    let compare = |seen: &Preprocessed| {
        let whole = seen.seen.first().map(|one| one.whole.clone()).unwrap_or_default();
        two_views::difference(&PreprocessorView::read(&whole.text, &key), &compiler, &open).err()
    };
    let difference = compare(&usual.file);
    let version = compiler.predefined("__GNUC__").and_then(|version| version.parse::<u32>().ok());
    if difference.is_some() && version.is_some_and(|version| version >= NEWER.0) {
        let newer: Vec<String> = flags.iter().cloned().chain([NEWER.1.to_owned()]).collect();
        if let Ok((file, headers)) = missing_headers::preprocess(source, &newer)
            && compare(&file).is_none()
        {
            return Ok(ClangView { file, headers, difference: None });
        }
    }
    Ok(ClangView { difference, ..usual })
}

/// One name for a file, however it was reached.
fn key_of(name: &str) -> String {
    std::fs::canonicalize(name).map_or_else(|_| name.to_owned(), |path| path.to_string_lossy().into_owned())
}

/// The refusal of a file's regions because the compiler sees something else.
pub fn refusal(first: &Directive, source: &Source, difference: &Difference) -> Refusal {
    let Difference { file, line, what } = difference;
    let is_main = *file == key_of(&source.path.to_string_lossy());
    let name = Path::new(file).file_name().map_or_else(|| file.clone(), |name| name.to_string_lossy().into_owned());
    let place = if is_main { format!("line {line}") } else { format!("line {line} of {name}") };
    Refusal::span(
        Code::OtherView,
        first.begin,
        first.end,
        format!("{place}: {what} is not the same for the compiler and for clang, which reads the regions"),
        "decide it by a macro of the program's own (-DNAME=VALUE), or move the functions with regions to a file without it",
    )
}
