//! Cuts Fortran text into statements, and finds the marks. Free and fixed form.

use super::construct_names;

/// How the text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceForm {
    /// Continued by `&` at a line's end.
    Free,
    /// Columns 1 to 5 hold a label, column 6 a sign of continuation, the next ones up to this the statement.
    Fixed(usize),
}

/// The fixed form of the standard.
pub const FIXED: SourceForm = SourceForm::Fixed(72);

/// A statement, without comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FortranStatement {
    /// Its first line, from 1.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// Its label.
    pub label: Option<u32>,
    /// Lower case outside of characters, blanks at both ends removed.
    pub text: String,
}

/// A line that marks a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Its line, from 1.
    pub line: u32,
    /// What follows `!$dvm`, lower case.
    pub text: String,
}

/// All lines `!$dvm ...`; in fixed form also `c$dvm` and `*$dvm`.
pub fn marks(text: &str, form: SourceForm) -> Vec<Mark> {
    let mut all = Vec::new();
    for (line, at) in text.lines().zip(1_u32..) {
        let lower = line.trim().to_ascii_lowercase();
        let fixed = matches!(form, SourceForm::Fixed(_)) && line.starts_with(['c', 'C', '*']);
        if let Some((_, rest)) =
            lower.split_once("$dvm").filter(|(before, _)| *before == "!" || fixed && before.len() == 1)
            && let Some(text) = mark_text(rest)
        {
            all.push(Mark { line: at, text });
        }
    }
    all
}

/// The text of a mark from what follows `$dvm`; a mark that lacks its blank or its words is one that nothing understands.
fn mark_text(rest: &str) -> Option<String> {
    if rest.is_empty() || rest.starts_with([' ', '\t']) {
        return Some(rest.trim().to_owned());
    }
    ["region", "end"].iter().any(|word| rest.starts_with(word)).then(|| format!("dvm{rest}"))
}

/// The statements of a text, in order, without names of constructs; a line of the preprocessor is one.
pub fn statements(text: &str, form: SourceForm) -> Vec<FortranStatement> {
    let mut cutter = Cutter::default();
    for (line, at) in text.lines().zip(1_u32..) {
        if line.starts_with('#') {
            cutter.finish();
            cutter.begin(at);
            cutter.text.push_str(line);
            cutter.finish();
            continue;
        }
        match form {
            SourceForm::Free => cutter.free(line, at),
            SourceForm::Fixed(columns) => cutter.fixed(line, at, columns),
        }
    }
    cutter.finish();
    if matches!(form, SourceForm::Fixed(_)) {
        for statement in &mut cutter.done {
            if let Some(text) = construct_names::with_blanks(&statement.text) {
                statement.text = text;
            }
        }
    }
    construct_names::take_out(cutter.done.iter_mut().map(|one| (one.label, &mut one.text)));
    cutter.done
}

#[derive(Default)]
struct Cutter {
    done: Vec<FortranStatement>,
    text: String,
    first: u32,
    last: u32,
    quote: Option<char>,
    continues: bool,
}

impl Cutter {
    fn begin(&mut self, line: u32) {
        (self.first, self.last) = (line, line);
        self.continues = false;
        self.quote = None;
    }

    fn finish(&mut self) {
        self.end();
    }

    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        let mut text = text.trim();
        if text.is_empty() {
            return;
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let label = text[..digits].parse().ok();
        if label.is_some() {
            text = text[digits..].trim_start();
        }
        self.done.push(FortranStatement { first: self.first, last: self.last, label, text: text.to_owned() });
    }

    fn free(&mut self, line: &str, at: u32) {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('!') && self.quote.is_none() {
            return;
        }
        let mut rest = line;
        if self.continues {
            match trimmed.strip_prefix('&') {
                Some(after) => rest = after,
                None => self.text.push(' '),
            }
            self.continues = false;
            self.last = at;
        } else {
            self.finish();
            self.begin(at);
        }
        self.take(rest, at);
    }

    fn fixed(&mut self, line: &str, at: u32, columns: usize) {
        if line.trim().is_empty() || line.starts_with(['c', 'C', 'd', 'D', '*', '!']) {
            return;
        }
        let columns: Vec<char> = line.chars().take(columns).collect();
        let label: String = columns.iter().take(5).collect();
        let body: String = columns.iter().skip(6).collect();
        if label.trim_start().starts_with('!') || label.trim().is_empty() && body.trim_start().starts_with('!') {
            return;
        }
        if columns.get(5).is_some_and(|c| !matches!(c, ' ' | '0')) && label.trim().is_empty() {
            self.last = at;
        } else {
            self.finish();
            self.begin(at);
            self.text.push_str(&label);
        }
        self.take(&body, at);
    }

    fn take(&mut self, rest: &str, at: u32) {
        for (place, c) in rest.char_indices() {
            let after = rest[place + c.len_utf8()..].trim_start();
            match (c, self.quote) {
                ('&', quote) if after.is_empty() || after.starts_with('!') && quote.is_none() => {
                    self.continues = true;
                    return;
                }
                (c, Some(quote)) => {
                    self.text.push(c);
                    self.quote = Some(quote).filter(|q| *q != c);
                }
                ('!', None) => return,
                (';', None) => {
                    let ends = after.is_empty() || after.starts_with('!');
                    self.end();
                    if !ends {
                        self.begin(at);
                    }
                }
                ('\'' | '"', None) => {
                    self.quote = Some(c);
                    self.text.push(c);
                }
                (c, None) => self.text.push(c.to_ascii_lowercase()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, form: SourceForm) -> Vec<(u32, u32, Option<u32>, String)> {
        statements(text, form).into_iter().map(|s| (s.first, s.last, s.label, s.text)).collect()
    }

    #[test]
    fn free_form() {
        let text = "A = 'x! & ;' + & ! why\n\n  ! no\n  & B ! c\n10 do i=1,2; c = 1\n end do;\n";
        let expected = [
            (1, 4, None, "a = 'x! & ;' +  b"),
            (5, 5, Some(10), "do i=1,2"),
            (5, 5, None, "c = 1"),
            (6, 6, None, "end do"),
        ];
        assert_eq!(cut(text, SourceForm::Free), expected.map(|(f, l, n, t)| (f, l, n, t.to_owned())));
    }

    #[test]
    fn fixed_form() {
        let text = "c text\n      DO 10 I = 1,\n     & N\n*\n   10 CONTINUE\n";
        let expected = [(2, 3, None, "do 10 i = 1, n"), (5, 5, Some(10), "continue")];
        assert_eq!(cut(text, FIXED), expected.map(|(f, l, n, t)| (f, l, n, t.to_owned())));
    }

    #[test]
    fn marks_of_both_forms() {
        let text = "!$dvm region tile(4)\nc$dvm region\n  !$DVM end region\n! $dvm x\n!$dvmx region\n";
        assert_eq!(marks(text, SourceForm::Free).iter().map(|m| m.line).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(marks(text, FIXED).iter().map(|m| m.line).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(marks(text, SourceForm::Free)[0].text, "region tile(4)");
        let wrong = "!$dvm\n!$dvmregion\n!$dvm  \n!$dvmend region\n";
        let texts: Vec<String> = marks(wrong, SourceForm::Free).into_iter().map(|mark| mark.text).collect();
        assert_eq!(texts, ["", "dvmregion", "", "dvmend region"]);
    }
}
