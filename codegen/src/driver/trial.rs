//! Tries pragmas on a file without changing it: a copy gets them, and the messages are told of the file itself.

use super::compiler_text::CompilerText;
use super::limited_process::Guarded;
use super::{Outcome, transform};
use crate::diagnostics::Diagnostic;
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;

/// How a file is read.
pub struct Reader<'a> {
    /// Flags for clang.
    pub flags: &'a [String],
    /// The processes that read it.
    pub guarded: &'a Guarded,
    /// Asks the compiler what it sees, with more flags.
    pub seen: &'a dyn Fn(&Source, &[String]) -> CompilerText,
}

/// A pragma to try.
pub struct Try {
    /// Offset of the loop's first token.
    pub begin: usize,
    /// The clauses, each after a blank.
    pub clauses: String,
}

/// What came of it.
pub enum Verdict {
    /// The region becomes tiles.
    Accepted,
    /// The messages, as text.
    Refused(String),
}

/// Tries all pragmas in one text; a verdict for each.
pub fn judge(source: &Source, reader: &Reader, tries: &[Try]) -> Result<Vec<Verdict>, String> {
    let mut order: Vec<usize> = (0..tries.len()).collect();
    order.sort_by_key(|at| tries[*at].begin);
    let folder = ScratchFolder::open(u64::from(std::process::id()))?;
    let path = folder.path.join(source.path.file_name().unwrap_or_default());
    let mut copy = MarkedCopy { bytes: Vec::new(), inserted: Vec::new() };
    let mut from = 0;
    for at in order {
        let Try { begin, clauses } = &tries[at];
        copy.bytes.extend_from_slice(&source.bytes[from..*begin]);
        let line = format!("\n#pragma dvm region name({}){clauses}\n", name(at));
        copy.inserted.push((copy.bytes.len(), line.len()));
        copy.bytes.extend(line.bytes());
        from = *begin;
    }
    copy.bytes.extend_from_slice(&source.bytes[from..]);
    std::fs::write(&path, &copy.bytes).map_err(|e| format!("cannot write `{}`: {e}", path.display()))?;
    let marked = Source::new(&path, copy.bytes.clone());
    let quoted = std::fs::canonicalize(source.folder()).unwrap_or_else(|_| source.folder());
    let mut flags = reader.flags.to_vec();
    flags.extend(["-iquote".to_owned(), quoted.display().to_string()]);
    let seen = (reader.seen)(&marked, &flags[reader.flags.len()..]);
    flags.push(seen.option());
    let outcome = transform(&marked, &flags, reader.guarded).map_err(|e| e.to_string())?;
    Ok((0..tries.len()).map(|at| copy.verdict(source, &marked, &outcome, &name(at))).collect())
}

/// The name of a tried region; it shows in no message.
fn name(at: usize) -> String {
    format!("dvmtry_{at}_")
}

/// The text with pragmas.
struct MarkedCopy {
    bytes: Vec<u8>,
    /// Where text was inserted, and how much.
    inserted: Vec<(usize, usize)>,
}

impl MarkedCopy {
    fn verdict(&self, source: &Source, marked: &Source, outcome: &Outcome, name: &str) -> Verdict {
        if outcome.regions.iter().any(|(found, _)| found.region.name == name) {
            return Verdict::Accepted;
        }
        let region = format!("region '{name}' stays sequential: ");
        let mut text = String::new();
        for diagnostic in &outcome.diagnostics {
            let Some((_, reason)) = diagnostic.message.split_once(&region) else { continue };
            let told = Diagnostic {
                message: self.lines_of(marked, source, reason),
                span: diagnostic.span.map(|(begin, end)| (self.original(begin), self.original(end))),
                remedy: diagnostic.remedy.as_ref().map(|remedy| self.lines_of(marked, source, remedy)),
                ..diagnostic.clone()
            };
            text.push_str(&told.render(source));
        }
        if text.is_empty() {
            text.push_str("the compiler does not see a pragma here: the text may be left out by `#if`\n");
        }
        Verdict::Refused(text)
    }

    /// The offset in the file itself.
    fn original(&self, offset: usize) -> usize {
        let before = self.inserted.iter().take_while(|(at, _)| *at < offset);
        before.fold(offset, |left, (at, length)| left - (*length).min(offset - at))
    }

    /// A message with the file's own numbers in `line 7`.
    fn lines_of(&self, marked: &Source, source: &Source, message: &str) -> String {
        let mut parts = message.split("line ");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            text.push_str("line ");
            match part[..digits].parse::<u32>() {
                Ok(line) => {
                    let offset = self.original(marked.line_start_of(line));
                    text.push_str(&source.position(offset).0.to_string());
                }
                Err(_) => text.push_str(&part[..digits]),
            }
            text.push_str(&part[digits..]);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn places_are_those_of_the_file() {
        let source = Source::new(Path::new("a.c"), b"int f;\nfor;\n".to_vec());
        let copy = MarkedCopy { bytes: b"int f;\n\n#pr\nfor;\n".to_vec(), inserted: vec![(7, 5)] };
        let marked = Source::new(Path::new("b.c"), copy.bytes.clone());
        assert_eq!((copy.original(3), copy.original(7), copy.original(9), copy.original(13)), (3, 7, 7, 8));
        assert_eq!(copy.lines_of(&marked, &source, "line 4 needs line 1, outline x"), "line 2 needs line 1, outline x");
    }
}
