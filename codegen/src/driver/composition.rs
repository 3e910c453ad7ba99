//! Composes the new text of a file: all bytes outside the regions, generated functions before the enclosing function,
//! and `#line` directives so that messages, debuggers and `__LINE__` refer to the source.

use super::replacement::Replacement;
use crate::emit::{UNSERVED, text_mark::TextMark};
use crate::frontend::{FinalScalars, Found, RegionLoop};
use crate::planted::planted;
use crate::source::Source;
use std::path::Path;

/// The use of the new text.
#[derive(Debug, Clone, Copy)]
pub enum Style<'a> {
    /// A file of this name, to be read and compiled: generated lines are numbered as lines of that file.
    File(&'a str),
    /// A temporary file: every generated line counts as a line of the region in the source.
    Passing {
        /// Pragmas to remove.
        blanked: &'a [(usize, usize)],
        /// The source's folder, if quoted includes need it.
        folder: Option<&'a Path>,
    },
}

/// What becomes of a file.
#[derive(Clone, Copy)]
pub struct Changes<'a> {
    pub regions: &'a [(Found, Replacement)],
    /// The pragma of the first of regions that are all refused and ask to run on several processes.
    pub refused_across: Option<(usize, usize)>,
    /// Loops that are told to the run-time.
    pub loops: &'a [RegionLoop],
}

/// Inserts text after the original loops, which end at the last mark of a call.
fn after_original(call: String, text: &str) -> String {
    let end = format!("{}\n", TextMark::End);
    match call.rfind(&end) {
        Some(at) => format!("{}{text}{}", &call[..at + end.len()], &call[at + end.len()..]),
        None => call,
    }
}

/// The texts before the call, after the original loops, and at the end that give counters the values which the loops would
/// have left. The original loops have done it themselves, and may have changed the bounds that their headers name.
fn counted(headers: &str) -> [String; 3] {
    if headers.is_empty() {
        return Default::default();
    }
    let condition = if planted("a40-counters") { "1" } else { "!dvm__looped" };
    [
        "int dvm__looped = 0;\n".to_owned(),
        "dvm__looped = 1;\n".to_owned(),
        format!("if ({condition}) {{\n{headers}\n}}\n"),
    ]
}

/// Inserts the replacements, and what makes the processes one program where the regions that ask for that are refused: of
/// the first of them, the pragma.
pub fn rewrite(source: &Source, changes: &Changes, style: Style) -> Vec<u8> {
    let Changes { regions, refused_across, loops } = *changes;
    let mut pieces: Vec<Piece> = Vec::new();
    for (found, replacement) in regions {
        let macros = Macros::before(source, found.function_begin, found.begin);
        let text = format!("{}{}{}", macros.enter, ended(&replacement.file_scope), macros.leave);
        pieces.push(Piece { begin: found.insert, end: found.insert, text, region: Some(found) });
        let (begin, end) = found.pragma;
        pieces.push(Piece { begin, end, text: format!("/* dvm: region {} */", found.region.name), region: None });
        let hints = found.hints.iter();
        pieces.extend(hints.map(|(begin, end)| Piece { begin: *begin, end: *end, text: String::new(), region: None }));
        if let Some((begin, end)) = found.endscop {
            pieces.push(Piece { begin, end, text: String::new(), region: None });
        }
        let FinalScalars { values, kept, sets } = &found.final_scalars;
        let line = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
        let [flag, noted, counters] = counted(&found.final_counters);
        let call = after_original(ended(&replacement.call), &format!("{}{noted}", line(kept)));
        let text = format!("{{\n{flag}{}{call}{}{counters}}}\n", line(values), line(sets));
        pieces.push(Piece { begin: found.begin, end: found.end, text, region: Some(found) });
    }
    if let Style::Passing { blanked, folder } = style {
        pieces.extend(blanked.iter().map(|(begin, end)| Piece {
            begin: *begin,
            end: *end,
            text: String::new(),
            region: None,
        }));
        pieces.extend(folder.into_iter().flat_map(|folder| includes(source, folder)));
    }
    for around in loops {
        for (at, text) in [(around.begin, "{ dvm__loop(1);"), (around.end, " dvm__loop(0); }")] {
            pieces.push(Piece { begin: at, end: at, text: text.to_owned(), region: None });
        }
    }
    pieces.sort_by_key(|p| (p.begin, p.end));
    let mut out = Output { bytes: Vec::new(), source, style };
    if let Some((pragma, _)) = refused_across {
        out.helpers(UNSERVED, pragma);
    }
    out.line_of_source(0);
    // A byte order mark is only valid at the beginning of a file.
    let mut at = if source.bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for piece in pieces {
        out.bytes.extend_from_slice(&source.bytes[at..piece.begin]);
        if let Some(found) = piece.region {
            out.generated(&piece.text, found);
            out.line_of_source(piece.end);
        } else {
            out.bytes.extend_from_slice(piece.text.as_bytes());
            let lines = line_ends(&source.bytes[piece.begin..piece.end]);
            out.bytes.extend(std::iter::repeat_n(b'\n', lines));
            if piece.begin == piece.end {
                out.line_of_source(piece.end);
            }
        }
        at = piece.end;
    }
    out.bytes.extend_from_slice(&source.bytes[at..]);
    out.bytes
}

/// Quoted includes that refer to files in the source's folder, rewritten with that folder.
fn includes<'a>(source: &Source, folder: &Path) -> Vec<Piece<'a>> {
    let all = source.all_directives().iter().filter(|d| d.name() == "include");
    all.filter_map(|directive| {
        let path = folder.join(directive.rest().strip_prefix('"')?.split_once('"')?.0);
        let text = format!("#include {}", quoted(&path.display().to_string()));
        path.is_file().then_some(Piece { begin: directive.begin, end: directive.end, text, region: None })
    })
    .collect()
}

/// Whether an `#include` of the source has neither quotes nor angle brackets.
pub fn computes_includes(source: &Source) -> bool {
    source.all_directives().iter().any(|d| match d.name() {
        "include" => !d.rest().starts_with(['"', '<']),
        "include_next" | "import" | "embed" => true,
        "if" | "elif" => d.rest().contains("__has_include") || d.rest().contains("__has_embed"),
        _ => false,
    })
}

struct Piece<'a> {
    begin: usize,
    end: usize,
    text: String,
    /// The region of a generated line numbered as its own file; `None`: source lines.
    region: Option<&'a Found>,
}

struct Output<'a> {
    bytes: Vec<u8>,
    source: &'a Source,
    style: Style<'a>,
}

impl Output<'_> {
    fn fresh_line(&mut self) {
        if self.bytes.last().is_some_and(|b| *b != b'\n') {
            self.bytes.push(b'\n');
        }
    }

    fn line_directive(&mut self, (line, name): &(u32, String)) {
        self.fresh_line();
        self.bytes.extend_from_slice(format!("#line {line} {}\n", quoted(name)).as_bytes());
    }

    /// Announces that the next byte is the source's byte at an offset, and keeps its column.
    fn line_of_source(&mut self, offset: usize) {
        let source = self.source;
        let offset = offset.min(source.bytes.len());
        self.line_directive(&source.presumed(offset));
        let rest = &source.bytes[offset..];
        let blank = rest.iter().take_while(|b| **b != b'\n').all(u8::is_ascii_whitespace);
        if !blank {
            self.blanks(source.position(offset).1);
        }
    }

    fn blanks(&mut self, column: u32) {
        self.bytes.extend(std::iter::repeat_n(b' ', column.max(1) as usize - 1));
    }

    /// Appends generated text that belongs to a pragma.
    fn helpers(&mut self, text: &str, pragma: usize) {
        self.own_line();
        let place = self.source.presumed(pragma);
        for line in text.split_inclusive('\n') {
            if matches!(self.style, Style::Passing { .. }) {
                self.line_directive(&place);
            }
            self.bytes.extend_from_slice(line.as_bytes());
        }
    }

    /// Appends generated text; the user's text in it keeps its positions.
    fn generated(&mut self, text: &str, found: &Found) {
        let (helpers, loops) = (self.source.presumed(found.pragma.0), self.source.presumed(found.begin));
        let mut place = &helpers;
        let (mut user, mut first, mut continued) = (false, false, false);
        self.own_line();
        for line in text.split_inclusive('\n') {
            match TextMark::parse(line.trim_end_matches('\n')) {
                Some(TextMark::End) => {
                    user = false;
                    self.own_line();
                }
                _ if user => {
                    let line = if first { line.trim_start() } else { line };
                    first = false;
                    self.bytes.extend_from_slice(line.as_bytes());
                }
                Some(mark @ (TextMark::At(..) | TextMark::Original)) => {
                    (user, first) = (true, true);
                    let (offset, column) = match mark {
                        TextMark::At(line, column) => (self.source.line_start_of(line), column),
                        _ => (found.begin, self.source.position(found.begin).1),
                    };
                    self.line_directive(&self.source.presumed(offset));
                    self.blanks(column);
                }
                Some(TextMark::Loops) => place = &loops,
                Some(TextMark::Helpers) => place = &helpers,
                None => {
                    if matches!(self.style, Style::Passing { .. }) && !continued {
                        self.line_directive(place);
                    }
                    continued = line.ends_with("\\\n");
                    self.bytes.extend_from_slice(line.as_bytes());
                }
            }
        }
    }

    /// Announces that the next lines are those of the file being written.
    fn own_line(&mut self) {
        self.fresh_line();
        if let Style::File(name) = self.style {
            let line = u32::try_from(2 + line_ends(&self.bytes)).unwrap_or(u32::MAX);
            self.line_directive(&(line, name.to_owned()));
        }
    }
}

fn line_ends(bytes: &[u8]) -> usize {
    bytes.split(|b| *b == b'\n').count() - 1
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Macros that the function defines before the region: defined before the generated functions and undefined after them.
struct Macros {
    enter: String,
    leave: String,
}

impl Macros {
    fn before(source: &Source, begin: usize, end: usize) -> Macros {
        let (mut lines, mut names, mut open) = (Vec::new(), Vec::new(), 0_usize);
        for directive in source.directives(begin, end) {
            match directive.name() {
                "define" | "undef" => {
                    let name = directive.rest().split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
                    names.extend(name.map(str::to_owned));
                }
                "if" | "ifdef" | "ifndef" => open += 1,
                "endif" => open = open.saturating_sub(1),
                "else" | "elif" => {}
                _ => continue,
            }
            lines.push(format!("#{}\n", directive.text));
        }
        if names.is_empty() {
            return Macros { enter: String::new(), leave: String::new() };
        }
        names.sort();
        names.dedup();
        let each = |what: &str| names.iter().map(|n| format!("#pragma {what}_macro(\"{n}\")\n")).collect::<String>();
        let enter = format!("{}{}{}", each("push"), lines.concat(), "#endif\n".repeat(open));
        Macros { enter, leave: each("pop") }
    }
}
