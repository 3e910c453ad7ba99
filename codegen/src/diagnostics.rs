//! Messages in the form of compiler messages: place, severity, text, the source line and a caret.

use crate::refusal::Code;
use crate::source::Source;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How serious a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// No output is made.
    Error,
    /// The region stays as it was.
    Warning,
    /// For information.
    Note,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// The text.
    pub message: String,
    /// The code of a refusal; none for information.
    pub code: Option<Code>,
    /// The byte range concerned: begin, end; `None`: the whole file.
    pub span: Option<(usize, usize)>,
    /// What the user can do.
    pub remedy: Option<String>,
}

impl Diagnostic {
    /// The message as text, with a final line end.
    pub fn render(&self, source: &Source) -> String {
        let name = source.path.display();
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let code = self.code.map(|code| format!(" [{code}]")).unwrap_or_default();
        let Some((begin, end)) = self.span else {
            let mut text = format!("{name}: {severity}: {}{code}\n", self.message);
            if let Some(remedy) = &self.remedy {
                let _ = writeln!(text, "{name}: note: {remedy}");
            }
            return text;
        };
        let (line, column) = source.position(begin);
        let mut text =
            format!("{name}:{line}:{column}: {severity}: {}{}{code}\n", self.message, offending(source, begin, end));
        let shown = source.line_text(line);
        let before: String =
            shown.chars().take(column as usize - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let length = shown.len().saturating_sub(column as usize).min(end.saturating_sub(begin + 1));
        let _ = writeln!(text, "{line:5} | {shown}\n      | {before}^{}", "~".repeat(length));
        if let Some(remedy) = &self.remedy {
            let _ = writeln!(text, "{name}:{line}:{column}: note: {remedy}");
        }
        text
    }
}

/// ` [text]` if the text is short and on one line.
fn offending(source: &Source, begin: usize, end: usize) -> String {
    let text = source.text(begin, end);
    let line: String = text.lines().next().unwrap_or("").trim().chars().take(60).collect();
    let cut = if line.len() < text.trim().len() { "..." } else { "" };
    if line.is_empty() { String::new() } else { format!(" [{line}{cut}]") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn messages_show_the_line() {
        let source = Source::new(Path::new("a.c"), b"int x;\n\ta[i*i] = 0;\n".to_vec());
        let message = "region 'f_1' stays sequential: no".to_owned();
        let d = Diagnostic {
            severity: Severity::Warning,
            message,
            code: Some(Code::NotAffine),
            span: Some((10, 13)),
            remedy: Some("do so".to_owned()),
        };
        let expected = "a.c:2:4: warning: region 'f_1' stays sequential: no [i*i] [DVM032]\n    2 | \ta[i*i] = 0;\n      | \t  ^~~\na.c:2:4: note: do so\n";
        assert_eq!(d.render(&source), expected);
    }
}
