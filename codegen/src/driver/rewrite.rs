//! The new text of a file: everything outside the regions byte by byte, generated functions before the function
//! that holds the region, and `#line` directives so that messages and `__LINE__` stay those of the source.

use super::Replacement;
use crate::frontend::Found;
use crate::source::Source;

/// Puts the replacements in place.
pub fn rewrite(source: &Source, regions: &[(Found, Replacement)], output: &str) -> Vec<u8> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (found, replacement) in regions {
        let macros = Macros::before(source, found.function_begin, found.begin);
        let text = format!("{}{}{}", macros.enter, ended(&replacement.file_scope), macros.leave);
        pieces.push(Piece { begin: found.insert, end: found.insert, text, whole_lines: true });
        let (begin, end) = found.pragma;
        pieces.push(Piece { begin, end, text: format!("/* dvm: region {} */", found.region.name), whole_lines: false });
        if let Some((begin, end)) = found.endscop {
            pieces.push(Piece { begin, end, text: String::new(), whole_lines: false });
        }
        let epilogue = if found.epilogue.is_empty() { String::new() } else { format!("{}\n", found.epilogue) };
        let text = format!("{{\n{}{epilogue}}}\n", ended(&replacement.call));
        pieces.push(Piece { begin: found.begin, end: found.end, text, whole_lines: true });
    }
    pieces.sort_by_key(|p| (p.begin, p.end));
    let mut out = Output { bytes: Vec::new(), output };
    out.line_of_source(source, 0);
    // A byte order mark is one only where the file begins.
    let mut at = if source.bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for piece in pieces {
        out.bytes.extend_from_slice(&source.bytes[at..piece.begin]);
        if piece.whole_lines {
            out.generated(&piece.text);
            out.line_of_source(source, piece.end);
        } else {
            out.bytes.extend_from_slice(piece.text.as_bytes());
            let lines = line_ends(&source.bytes[piece.begin..piece.end]);
            out.bytes.extend(std::iter::repeat_n(b'\n', lines));
        }
        at = piece.end;
    }
    out.bytes.extend_from_slice(&source.bytes[at..]);
    out.bytes
}

struct Piece {
    begin: usize,
    end: usize,
    text: String,
    whole_lines: bool,
}

struct Output<'a> {
    bytes: Vec<u8>,
    output: &'a str,
}

impl Output<'_> {
    fn fresh_line(&mut self) {
        if self.bytes.last().is_some_and(|b| *b != b'\n') {
            self.bytes.push(b'\n');
        }
    }

    /// The next byte is that of the source at an offset: says so, and keeps its column.
    fn line_of_source(&mut self, source: &Source, offset: usize) {
        self.fresh_line();
        let (line, column) = source.position(offset.min(source.bytes.len()));
        let name = quoted(&source.path.display().to_string());
        self.bytes.extend_from_slice(format!("#line {line} {name}\n").as_bytes());
        let rest = &source.bytes[offset.min(source.bytes.len())..];
        let blank = rest.iter().take_while(|b| **b != b'\n').all(u8::is_ascii_whitespace);
        if !blank {
            self.bytes.extend(std::iter::repeat_n(b' ', column as usize - 1));
        }
    }

    fn generated(&mut self, text: &str) {
        self.fresh_line();
        let line = 2 + line_ends(&self.bytes);
        self.bytes.extend_from_slice(format!("#line {line} {}\n", quoted(self.output)).as_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
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

/// Macros that the function defines before the region, made known to the generated functions and taken back after.
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
