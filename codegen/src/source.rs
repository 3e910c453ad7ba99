//! A C source file with line and column positions, and just enough lexing to walk from token to token.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source file, kept byte for byte.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path as the user gave it.
    pub path: PathBuf,
    /// The bytes; text positions everywhere are offsets into them.
    pub bytes: Vec<u8>,
    lines: Vec<usize>,
    directives: Arc<Vec<Directive>>,
    renumberings: Vec<Renumbering>,
}

/// What a `#line` directive declares about the lines after it.
#[derive(Debug, Clone)]
struct Renumbering {
    /// The first line after the directive, counted from 1 in the file.
    from: u32,
    /// The number given to that line; `None`: only the preprocessor knows it.
    number: Option<u32>,
    /// The file name, if the directive gives one.
    name: Option<String>,
    /// The directive's bytes.
    span: (usize, usize),
}

impl Source {
    /// Reads a file.
    pub fn read(path: &Path) -> std::io::Result<Source> {
        Ok(Source::new(path, std::fs::read(path)?))
    }

    /// Wraps text that was already read.
    pub fn new(path: &Path, bytes: Vec<u8>) -> Source {
        let mut lines = vec![0];
        lines.extend(bytes.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(k, _)| k + 1));
        let mut source =
            Source { path: path.to_owned(), bytes, lines, directives: Arc::default(), renumberings: vec![] };
        source.directives = Arc::new(source.directives(0, source.bytes.len()));
        source.renumberings = source.find_renumberings();
        source
    }

    /// The same text with blanks in place of some ranges; offsets and lines stay.
    #[must_use]
    pub fn without(&self, ranges: &[(usize, usize)]) -> Source {
        let mut bytes = self.bytes.clone();
        for (begin, end) in ranges {
            bytes[*begin..*end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
        }
        Source::new(&self.path, bytes)
    }

    /// The folder of the file, in the user's notation.
    pub fn folder(&self) -> PathBuf {
        self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
    }

    /// The `#line` directives. One inside a conditional may be skipped by the preprocessor: its number is unknown.
    fn find_renumberings(&self) -> Vec<Renumbering> {
        let (mut all, mut open) = (Vec::new(), 0_u32);
        for directive in self.all_directives() {
            match directive.name() {
                "if" | "ifdef" | "ifndef" => open += 1,
                "endif" => open = open.saturating_sub(1),
                name if name == "line" || name.starts_with(|c: char| c.is_ascii_digit()) => {
                    let words = if name == "line" { directive.rest() } else { directive.text.as_str() };
                    let (number, rest) =
                        words.split_at(words.find(|c: char| !c.is_ascii_digit()).unwrap_or(words.len()));
                    let rest = rest.trim();
                    let quoted =
                        rest.strip_prefix('"').and_then(|r| r.split_once('"')).map(|(name, _)| name.to_owned());
                    let known = open == 0 && (rest.is_empty() || quoted.as_ref().is_some_and(|n| !n.contains('\\')));
                    all.push(Renumbering {
                        from: self.position(directive.end).0 + 1,
                        number: number.parse().ok().filter(|_| known),
                        name: quoted,
                        span: (directive.begin, directive.end),
                    });
                }
                _ => {}
            }
        }
        all
    }

    /// Byte ranges of the `#line` directives.
    pub fn renumbered(&self) -> impl Iterator<Item = (usize, usize)> {
        self.renumberings.iter().map(|r| r.span)
    }

    /// The first `#line` directive whose number only the preprocessor knows.
    pub fn unclear_line(&self) -> Option<(usize, usize)> {
        self.renumberings.iter().find(|r| r.number.is_none()).map(|r| r.span)
    }

    /// Line and file of an offset as `__LINE__` and `__FILE__` give them, after the `#line` directives before it.
    pub fn presumed(&self, offset: usize) -> (u32, String) {
        let (line, _) = self.position(offset);
        let before = || self.renumberings.iter().take_while(|r| r.from <= line);
        let number = before().last().and_then(|r| Some(r.number? + (line - r.from)));
        let name = before().filter_map(|r| r.name.clone()).last();
        (number.unwrap_or(line), name.unwrap_or_else(|| self.path.display().to_string()))
    }

    /// Line and column (both from 1) of an offset.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= offset);
        (line as u32, (offset - self.lines[line - 1] + 1) as u32)
    }

    /// Offset of the start of the line that contains `offset`.
    pub fn line_start(&self, offset: usize) -> usize {
        self.lines[self.lines.partition_point(|start| *start <= offset) - 1]
    }

    /// Offset of the start of a line (counted from 1).
    pub fn line_start_of(&self, line: u32) -> usize {
        self.lines[(line.max(1) as usize - 1).min(self.lines.len() - 1)]
    }

    /// Text of a line (from 1), without its line end.
    pub fn line_text(&self, line: u32) -> String {
        let start = self.line_start_of(line);
        let end = self.bytes[start..].iter().position(|b| *b == b'\n').map_or(self.bytes.len(), |k| start + k);
        String::from_utf8_lossy(&self.bytes[start..end]).trim_end_matches('\r').to_owned()
    }

    /// The text of a range; replacement characters stand for invalid UTF-8.
    pub fn text(&self, begin: usize, end: usize) -> String {
        String::from_utf8_lossy(&self.bytes[begin.min(self.bytes.len())..end.min(self.bytes.len())]).into_owned()
    }

    /// First offset at or after `at` that is neither white space, a comment nor a continued line end.
    pub fn skip_blank(&self, mut at: usize) -> usize {
        let b = &self.bytes;
        while at < b.len() {
            if b[at].is_ascii_whitespace() {
                at += 1;
            } else if let Some(joined) = self.continued(at) {
                at += joined;
            } else if b[at..].starts_with(b"/*") || b[at..].starts_with(b"//") {
                at = self.skip_token(at);
            } else {
                break;
            }
        }
        at
    }

    /// End of the token, comment or literal that begins at `at`.
    pub fn skip_token(&self, at: usize) -> usize {
        let b = &self.bytes;
        if at >= b.len() {
            return b.len();
        }
        if b[at..].starts_with(b"/*") {
            return find(b, at + 2, b"*/").map_or(b.len(), |k| k + 2);
        }
        if b[at..].starts_with(b"//") {
            let mut k = at;
            while k < b.len() && b[k] != b'\n' {
                k += self.continued(k).unwrap_or(1);
            }
            return k.min(b.len());
        }
        match b[at] {
            quote @ (b'"' | b'\'') => {
                let mut k = at + 1;
                while k < b.len() && b[k] != quote && b[k] != b'\n' {
                    k += if b[k] == b'\\' { 2 } else { 1 };
                }
                (k + 1).min(b.len())
            }
            c if is_word(c) => at + b[at..].iter().take_while(|c| is_word(**c)).count(),
            _ => at + 1,
        }
    }

    /// End (past the closing bracket) of the bracketed text that begins at `at` with `(`, `[` or `{`.
    pub fn skip_brackets(&self, at: usize) -> usize {
        let (mut depth, mut k) = (0_i32, at);
        while k < self.bytes.len() {
            match self.bytes[k] {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        return k + 1;
                    }
                }
                _ => {}
            }
            k = self.skip_blank(self.skip_token(k));
        }
        self.bytes.len()
    }

    /// The byte at `at`, or 0 past the end.
    pub fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// All preprocessor directives.
    pub fn all_directives(&self) -> &[Directive] {
        &self.directives
    }

    /// Preprocessor directives between two offsets.
    pub fn directives(&self, begin: usize, end: usize) -> Vec<Directive> {
        let mut found = Vec::new();
        let mut at = begin;
        let mut fresh_line = begin == self.line_start(begin);
        while at < end {
            let c = self.bytes[at];
            if c == b'\n' {
                fresh_line = true;
                at += 1;
            } else if c.is_ascii_whitespace() {
                at += 1;
            } else if fresh_line && (c == b'#' || self.bytes[at..].starts_with(b"%:")) {
                let stop = self.directive_end(at);
                let text = self.logical(at + if c == b'#' { 1 } else { 2 }, stop);
                found.push(Directive { begin: at, end: stop, text });
                at = stop;
            } else if let Some(joined) = self.continued(at) {
                at += joined;
            } else {
                let comment = self.bytes[at..].starts_with(b"/*");
                fresh_line &= comment;
                at = self.skip_token(at);
            }
        }
        found
    }

    /// The first preprocessor conditional that begins or ends, but not both, between two offsets.
    pub fn torn(&self, begin: usize, end: usize) -> Option<Directive> {
        let mut open = Vec::new();
        for directive in self.directives(begin, end) {
            match directive.name() {
                "if" | "ifdef" | "ifndef" => open.push(directive),
                "else" | "elif" | "elifdef" | "elifndef" if open.is_empty() => return Some(directive),
                "endif" if open.pop().is_none() => return Some(directive),
                _ => {}
            }
        }
        open.into_iter().next()
    }

    /// The offset after the `#endif` of the conditional that is open at `at`.
    pub fn conditional_end(&self, at: usize) -> usize {
        let mut depth = 0_u32;
        for directive in self.directives(at, self.bytes.len()) {
            match directive.name() {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth == 0 => return directive.end,
                "endif" => depth -= 1,
                _ => {}
            }
        }
        self.bytes.len()
    }

    /// Whether the range contains anything but directives, comments and blanks.
    pub fn has_tokens(&self, begin: usize, end: usize) -> bool {
        let mut at = self.skip_blank(begin);
        for directive in self.directives(begin, end) {
            if at < directive.begin {
                return true;
            }
            at = self.skip_blank(directive.end);
        }
        at < end
    }

    /// Length of a backslash that joins two lines, with the line end; compilers allow blanks between them.
    fn continued(&self, at: usize) -> Option<usize> {
        let rest = self.bytes.get(at..)?.strip_prefix(b"\\")?;
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)).count();
        (rest.get(blanks) == Some(&b'\n')).then_some(blanks + 2)
    }

    fn directive_end(&self, mut at: usize) -> usize {
        while at < self.bytes.len() && self.bytes[at] != b'\n' {
            at = if let Some(joined) = self.continued(at) {
                at + joined
            } else if self.bytes[at] == b'\\' {
                at + 2
            } else if self.bytes[at..].starts_with(b"/*") || matches!(self.bytes[at], b'"' | b'\'') {
                self.skip_token(at)
            } else {
                at + 1
            };
        }
        at.min(self.bytes.len())
    }

    /// A directive's text; lines are joined, and each comment becomes one blank.
    fn logical(&self, mut at: usize, end: usize) -> String {
        let mut text = Vec::new();
        while at < end {
            let rest = &self.bytes[at..];
            if let Some(joined) = self.continued(at) {
                at += joined;
            } else if rest.starts_with(b"/*") || rest.starts_with(b"//") {
                text.push(b' ');
                at = self.skip_token(at);
            } else {
                text.push(self.bytes[at]);
                at += 1;
            }
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    }
}

/// A preprocessor directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directive {
    /// Offset of the `#`.
    pub begin: usize,
    /// Offset of the line end that terminates it.
    pub end: usize,
    /// The text after the `#`: lines joined, comments removed.
    pub text: String,
}

impl Directive {
    /// The directive's name, e.g. `pragma`.
    pub fn name(&self) -> &str {
        self.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("")
    }

    /// The text after the name.
    pub fn rest(&self) -> &str {
        self.text[self.name().len()..].trim_start()
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes.get(from..)?.windows(what.len()).position(|w| w == what).map(|k| from + k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(Path::new("t.c"), text.as_bytes().to_vec())
    }

    #[test]
    fn directives_skip_comments_and_strings() {
        let s = source(
            "/* \n#pragma a\n*/ int x; // \\\n#pragma b\n  # pragma /*c*/ d \\\n e\nchar *s = \"\\\n#pragma f\";\n/**/ #define X\n",
        );
        let texts: Vec<String> = s.directives(0, s.bytes.len()).into_iter().map(|d| d.text).collect();
        assert_eq!(texts, ["pragma   d  e", "define X"]);
        let s = source("\\\n%:pra\\ \t\ngma dv\\\r\nm region\\ x\nint x; %:no\n");
        let texts: Vec<String> = s.directives(0, s.bytes.len()).into_iter().map(|d| d.text).collect();
        assert_eq!(texts, ["pragma dvm region\\ x"]);
    }

    #[test]
    fn torn_conditionals_are_found() {
        let torn = |text: &str| source(text).torn(0, text.len()).map(|d| d.text);
        assert_eq!(torn("a\n#if 1\n#ifdef B\n#else\n#endif\n#elif 2\n#endif\n"), None);
        assert_eq!(torn("a\n#if 1\n#endif\n#else\n#endif\n").as_deref(), Some("else"));
        assert_eq!(torn("#endif\n#if 2\n").as_deref(), Some("endif"));
        assert_eq!(torn("#if 1\n#if 2\n#endif\n").as_deref(), Some("if 1"));
    }

    #[test]
    fn line_directives_say_the_numbers_of_lines() {
        let s = source("a\n#line 10 \"x.y\"\nb\nc\n# 20\nd\n");
        let at = |text: &str| s.presumed(s.text(0, s.bytes.len()).find(text).unwrap());
        assert_eq!(at("a"), (1, "t.c".to_owned()));
        assert_eq!((at("b"), at("c\n")), ((10, "x.y".to_owned()), (11, "x.y".to_owned())));
        assert_eq!(at("d\n"), (20, "x.y".to_owned()));
        assert!(s.unclear_line().is_none());
        assert!(source("#if A\n#line 3\n#endif\n").unclear_line().is_some());
        assert!(source("#line N\n").unclear_line().is_some());
    }

    #[test]
    fn positions_count_from_one() {
        let s = source("ab\ncd\n");
        assert_eq!(s.position(0), (1, 1));
        assert_eq!(s.position(4), (2, 2));
        assert_eq!(s.line_text(2), "cd");
    }

    #[test]
    fn brackets_inside_literals_do_not_count() {
        let s = source("(a, \")\", ')', /* ) */ (b))x");
        assert_eq!(s.skip_brackets(0), s.bytes.len() - 1);
    }
}
