//! Man pages: one of section 3 for each function, macro with arguments and structure, and `dvm.7` about all of them.

use std::fmt::Write as _;

use crate::comment::{Described, Paragraph};
use crate::declaration::{Chapter, Declaration, DeclarationKind};
use crate::reference::{Reference, named};

/// The first lines of a page: how it was made, and its title.
const MADE: &str = ".\\\" Generated from the C headers: run the tests of dvm-bindings with DVM_BLESS=1.\n";

/// The pages: the names of their files, and their texts.
pub fn print(reference: &Reference, version: &str) -> Vec<(String, String)> {
    let mut pages = vec![("dvm.7".to_owned(), overview(reference, version))];
    for chapter in &reference.chapters {
        for declaration in chapter.declarations.iter().filter(|declaration| has_page(declaration)) {
            let text = Printer { reference }.page(chapter, declaration, version);
            pages.push((format!("{}.3", declaration.name), text));
        }
    }
    pages
}

fn has_page(declaration: &Declaration) -> bool {
    declaration.is_called() || declaration.kind == DeclarationKind::Type && declaration.text.contains('{')
}

struct Printer<'a> {
    reference: &'a Reference,
}

impl Printer<'_> {
    fn page(&self, chapter: &Chapter, declaration: &Declaration, version: &str) -> String {
        let Declaration { name, comment, .. } = declaration;
        let mut text = format!("{MADE}.TH {} 3 \"\" \"libdvm {version}\" \"libdvm\"\n", name.to_uppercase());
        let _ = writeln!(text, ".SH NAME\n{name} \\- {}", name_line(&comment.brief));
        let _ = writeln!(text, ".SH SYNOPSIS\n.nf\n.B #include <{}>\n.PP", chapter.header);
        bold(&mut text, &declaration.text);
        text.push_str(".fi\n.SH DESCRIPTION\n");
        self.lines(&mut text, &comment.brief);
        self.paragraphs(&mut text, &comment.body, true);
        self.list(&mut text, "PARAMETERS", &comment.parameters);
        self.results(&mut text, chapter, declaration);
        // What holds for all functions of a chapter does not for its structures.
        if declaration.is_called() {
            let own = &comment.thread_safety;
            let safety = if own.is_empty() { &chapter.common.thread_safety } else { own };
            self.section(&mut text, "THREAD SAFETY", safety);
            self.paragraphs(&mut text, &chapter.common.body, false);
        }
        if !comment.source.is_empty() {
            self.section(&mut text, "NOTES", &format!("Source: {}", comment.source));
        }
        see_also(&mut text, chapter, name);
        text
    }

    /// The values that are returned: a function's own, and then those of its chapter.
    fn results(&self, text: &mut String, chapter: &Chapter, declaration: &Declaration) {
        let own = &declaration.comment.results;
        let returns_code = declaration.text.starts_with("dvm_retcode_t ");
        let is_own = |result: &Described| own.iter().any(|one| one.name == result.name);
        let common = chapter.common.results.iter().filter(|result| returns_code && !is_own(result));
        let all: Vec<&Described> = own.iter().chain(common).collect();
        if all.is_empty() {
            return;
        }
        text.push_str(".SH RETURN VALUE\n");
        for result in all {
            if result.name.is_empty() {
                self.lines(text, &result.text);
            } else {
                let _ = writeln!(text, ".TP\n.B {}", escaped(&result.name));
                self.lines(text, &result.text);
            }
        }
    }

    fn list(&self, text: &mut String, title: &str, entries: &[Described]) {
        if entries.is_empty() {
            return;
        }
        let _ = writeln!(text, ".SH {title}");
        for entry in entries {
            let _ = writeln!(text, ".TP\n\\fI{}\\fR [{}]", escaped(&entry.name), entry.direction);
            self.lines(text, &entry.text);
        }
    }

    fn section(&self, text: &mut String, title: &str, content: &str) {
        if !content.is_empty() {
            let _ = writeln!(text, ".SH {title}");
            self.lines(text, content);
        }
    }

    /// Prose; `inside` a section, in which headings are smaller ones.
    fn paragraphs(&self, text: &mut String, paragraphs: &[Paragraph], inside: bool) {
        let mut fresh = false;
        for paragraph in paragraphs {
            match paragraph {
                Paragraph::Heading(title) => {
                    let title = if inside { format!(".SS {title}") } else { format!(".SH {}", title.to_uppercase()) };
                    let _ = writeln!(text, "{title}");
                }
                Paragraph::Text(lines) => {
                    text.push_str(if fresh { "" } else { ".PP\n" });
                    self.lines(text, lines);
                }
                Paragraph::Item(lines) => {
                    text.push_str(".IP \\(bu 2\n");
                    self.lines(text, lines);
                }
                Paragraph::Code(lines) => {
                    text.push_str(".PP\n.in +4n\n.nf\n");
                    for line in lines.lines() {
                        let _ = writeln!(text, "{}", escaped(line));
                    }
                    text.push_str(".fi\n.in\n");
                }
            }
            fresh = matches!(paragraph, Paragraph::Heading(_));
        }
    }

    /// Prose, line by line; names and what stands in backquotes are bold.
    fn lines(&self, text: &mut String, lines: &str) {
        for line in lines.lines() {
            let mut out = String::new();
            for (number, part) in line.split('`').enumerate() {
                if number % 2 == 1 {
                    let _ = write!(out, "\\fB{}\\fR", inner(part));
                } else {
                    for word in named(part) {
                        self.word(&mut out, word);
                    }
                }
            }
            let _ = writeln!(text, "{}", guarded(out));
        }
    }

    fn word(&self, out: &mut String, word: &str) {
        let found = self.reference.find(word);
        let _ = match found {
            Some(declaration) if has_page(declaration) => write!(out, "\\fB{word}\\fR(3)"),
            _ if found.is_some() || word.starts_with("DVM_") => write!(out, "\\fB{word}\\fR"),
            _ => write!(out, "{}", inner(word)),
        };
    }
}

/// A declaration, in bold letters.
fn bold(text: &mut String, lines: &str) {
    text.push_str(".ft B\n");
    for line in lines.lines() {
        let _ = writeln!(text, "{}", escaped(line));
    }
    text.push_str(".ft\n");
}

/// The text after a page's name, on one line: without the period, for `apropos`.
fn name_line(brief: &str) -> String {
    inner(brief.replace('\n', " ").replace('`', "").trim_end_matches('.'))
}

/// The pages of the same chapter, and the one about all.
fn see_also(text: &mut String, chapter: &Chapter, name: &str) {
    text.push_str(".SH SEE ALSO\n");
    for other in chapter.declarations.iter().filter(|other| has_page(other) && other.name != name) {
        let _ = writeln!(text, ".BR {} (3),", other.name);
    }
    text.push_str(".BR dvm (7)\n");
}

/// The page about all: the rules, the codes, and each chapter with its functions.
fn overview(reference: &Reference, version: &str) -> String {
    let printer = Printer { reference };
    let mut text = format!("{MADE}.TH DVM 7 \"\" \"libdvm {version}\" \"libdvm\"\n");
    text.push_str(".SH NAME\ndvm \\- tasks on data, over every core of every process\n.SH SYNOPSIS\n.nf\n");
    text.push_str(
        ".B #include <dvm.h>\n.PP\n.B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs dvm)\n.fi\n.SH DESCRIPTION\n",
    );
    printer.lines(&mut text, &reference.rules.brief);
    printer.paragraphs(&mut text, &reference.rules.body, true);
    for chapter in &reference.chapters {
        let title = chapter.title.split(':').next().unwrap_or_default().to_uppercase();
        let _ = writeln!(text, ".SH {}", inner(&title));
        let _ = writeln!(text, ".B #include <{}>", chapter.header);
        for declaration in &chapter.declarations {
            let page = if has_page(declaration) { "\\fR(3)" } else { "\\fR" };
            let _ = writeln!(text, ".TP\n\\fB{}{page}\n{}", declaration.name, name_line(&declaration.comment.brief));
            if declaration.name == "dvm_retcode_t" {
                let _ = writeln!(text, ".IP\n.nf");
                for code in codes(&declaration.text) {
                    let _ = writeln!(text, "{}", escaped(&code));
                }
                text.push_str(".fi\n");
            }
        }
    }
    text.push_str(".SH SEE ALSO\n.BR dvmcc (1),\n.BR dvmfc (1),\n.BR dvmrun (1),\n.BR dvm-info (1)\n");
    text
}

/// The names and values of an enumeration.
fn codes(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| line.contains(" = "));
    lines.map(|line| line.trim_end_matches(',').to_owned()).collect()
}

/// A line for roff: no character of it is a request or another letter than it shows.
fn escaped(line: &str) -> String {
    guarded(inner(line))
}

fn inner(line: &str) -> String {
    let mut out = String::new();
    for letter in line.chars() {
        match letter {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '\'' => out.push_str("\\(aq"),
            '`' => out.push_str("\\(ga"),
            '^' => out.push_str("\\(ha"),
            '~' => out.push_str("\\(ti"),
            _ => out.push(letter),
        }
    }
    out
}

/// A line that begins with a period would be a request.
fn guarded(line: String) -> String {
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comment::Comment;
    use crate::declaration::chapters;

    const HEADER: &str = "/** A number. */
#define A_NUMBER 1
/* ----- Calls -----
 *
 * Thread safety: any.
 * DVM_ERR_STATE: not now.
 * DVM_ERR_ID: never shown.
 *
 * # Over processes
 * As here.
 */
/**
 * @brief Call `x-y`: the backslash is \\.
 *
 * ... and a_other, 'quoted'; A_NUMBER.
 * .TH is no request.
 *
 * @code
 *     .SH = a - b;
 * @endcode
 *
 * @param[in,out] x  the first,
 *                   and more
 * @retval DVM_ERR_ID  unknown
 *
 * Source: added.
 */
dvm_retcode_t a_call(char *x);
/** @brief Other. */
void a_other(void);
";

    fn page(name: &str) -> String {
        let chapters = chapters("a.h", HEADER, "Ground").expect("a header");
        let reference = Reference { rules: Comment::default(), chapters };
        print(&reference, "1.2.3").into_iter().find(|(file, _)| file == name).expect("a page").1
    }

    #[test]
    fn a_page_has_all_that_the_comment_says() {
        let expected = "\
.TH A_CALL 3 \"\" \"libdvm 1.2.3\" \"libdvm\"
.SH NAME
a_call \\- Call x\\-y: the backslash is \\e
.SH SYNOPSIS
.nf
.B #include <a.h>
.PP
.ft B
dvm_retcode_t a_call(char *x);
.ft
.fi
.SH DESCRIPTION
Call \\fBx\\-y\\fR: the backslash is \\e.
.PP
\\&... and \\fBa_other\\fR(3), \\(aqquoted\\(aq; \\fBA_NUMBER\\fR.
\\&.TH is no request.
.PP
.in +4n
.nf
    .SH = a \\- b;
.fi
.in
.SH PARAMETERS
.TP
\\fIx\\fR [in,out]
the first,
and more
.SH RETURN VALUE
.TP
.B DVM_ERR_ID
unknown
.TP
.B DVM_ERR_STATE
not now.
.SH THREAD SAFETY
any.
.SH OVER PROCESSES
As here.
.SH NOTES
Source: added.
.SH SEE ALSO
.BR a_other (3),
.BR dvm (7)
";
        assert_eq!(page("a_call.3").strip_prefix(MADE), Some(expected));
    }

    #[test]
    fn the_overview_lists_all() {
        let text = page("dvm.7");
        for part in [".SH CALLS\n", "\\fBa_call\\fR(3)\nCall x\\-y", "\\fBA_NUMBER\\fR\nA number\n"] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
