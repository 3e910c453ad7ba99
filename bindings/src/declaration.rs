//! The documented declarations of a C header, chapter by chapter, as a reader of the header finds them.

use crate::comment::{Comment, lines};

/// A part of a header, under a comment `/* ----- title ----- */`.
pub struct Chapter {
    /// The header's name, as programs include it.
    pub header: &'static str,
    /// The title.
    pub title: String,
    /// What holds for each of its functions unless that says otherwise.
    pub common: Comment,
    /// What it declares, in order.
    pub declarations: Vec<Declaration>,
}

/// A function, macro, type or constant.
pub struct Declaration {
    /// The name.
    pub name: String,
    /// What it is.
    pub kind: DeclarationKind,
    /// The text of the declaration; of a function or macro only what a caller needs.
    pub text: String,
    /// Its comment.
    pub comment: Comment,
}

/// What is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// A function.
    Function,
    /// A macro with arguments.
    Macro,
    /// A type.
    Type,
    /// A macro without arguments.
    Constant,
}

impl Declaration {
    /// Whether it is called: a function, or a macro with arguments.
    pub fn is_called(&self) -> bool {
        matches!(self.kind, DeclarationKind::Function | DeclarationKind::Macro)
    }
}

/// What a header says of itself, in the comment that it begins with.
pub fn about(text: &str) -> Vec<String> {
    text.find("*/").map_or_else(Vec::new, |end| lines(&text[..end + 2]))
}

/// The chapters of a header; `title` is that of what stands before its first title. A function without a comment of its
/// own is refused, unless its name ends with `_`: such are parts of macros. So is a comment without a declaration.
pub fn chapters(header: &'static str, text: &str, title: &str) -> Result<Vec<Chapter>, String> {
    let mut found = vec![chapter(header, title, &[])?];
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if rest.starts_with("/*") {
            let end = rest.find("*/").ok_or("a comment does not end")? + 2;
            let (comment, after) = rest.split_at(end);
            rest = after;
            if comment.starts_with("/**") {
                let (declaration, after) = declaration(comment, after)?;
                found.last_mut().ok_or("no chapter")?.declarations.push(declaration);
                rest = after;
            } else if let Some(opened) = opening(header, comment)? {
                found.push(opened);
            }
        } else if rest.starts_with('#') {
            rest = rest.split_at(directive(rest)).1;
        } else if let Some(after) = rest.strip_prefix("extern \"C\" {").or(rest.strip_prefix('}')) {
            rest = after;
        } else {
            let (text, after) = statement(rest)?;
            if text.contains('(') && !name_of_function(&text).ends_with('_') {
                return Err(format!("it has no comment /** ... */: {text}"));
            }
            rest = after;
        }
        rest = rest.trim_start();
    }
    found.retain(|chapter| !chapter.declarations.is_empty());
    Ok(found)
}

fn chapter(header: &'static str, title: &str, common: &[String]) -> Result<Chapter, String> {
    Ok(Chapter { header, title: title.to_owned(), common: Comment::of_lines(common)?, declarations: Vec::new() })
}

/// The chapter that a comment opens with its title.
fn opening(header: &'static str, comment: &str) -> Result<Option<Chapter>, String> {
    let lines = lines(comment);
    let title = lines.first().and_then(|line| line.trim().strip_prefix("----- ")?.strip_suffix(" -----"));
    let Some(title) = title else { return Ok(None) };
    let common: Vec<_> =
        lines[1..].iter().filter(|line| *line != "Unless a function says otherwise:").cloned().collect();
    chapter(header, title, &common).map(Some)
}

/// The declaration that follows a comment, and what follows both.
fn declaration<'a>(comment: &str, after: &'a str) -> Result<(Declaration, &'a str), String> {
    let mut rest = after.trim_start();
    // A condition of the preprocessor between the two.
    while rest.starts_with('#') && !rest.starts_with("#define") {
        rest = rest.split_at(directive(rest)).1.trim_start();
    }
    let comment = Comment::parse(comment)?;
    if rest.starts_with("#define") {
        let (text, after) = rest.split_at(directive(rest));
        let body = text["#define".len()..].trim();
        let end = body.find(|c: char| !is_of_name(c)).unwrap_or(body.len());
        let (name, value) = body.split_at(end);
        let with_arguments = value.starts_with('(');
        let kind = if with_arguments { DeclarationKind::Macro } else { DeclarationKind::Constant };
        let end = if with_arguments { body.find(')').map_or(body.len(), |end| end + 1) } else { body.len() };
        return Ok((Declaration { name: name.to_owned(), kind, text: body[..end].to_owned(), comment }, after));
    }
    let (text, after) = statement(rest)?;
    let (name, kind) = match text.strip_prefix("typedef ") {
        Some(defined) => (name_of_type(defined), DeclarationKind::Type),
        None => (name_of_function(&text), DeclarationKind::Function),
    };
    let name = name.trim_end().rsplit(|c: char| !is_of_name(c)).next().unwrap_or_default();
    if name.is_empty() {
        return Err(format!("a comment stands before something that has no name: {text}"));
    }
    Ok((Declaration { name: name.to_owned(), kind, text: on_one_line(&without_inline(&text)), comment }, after))
}

/// The part of a function's declaration that ends with its name.
fn name_of_function(text: &str) -> &str {
    text.split('(').next().unwrap_or_default().trim_end()
}

/// The part of a type's definition that ends with its name.
fn name_of_type(text: &str) -> &str {
    let text = text.trim_end_matches(';');
    if text.ends_with('}') || text.contains('{') {
        return text;
    }
    match text.find("(*") {
        Some(at) => text[at + 2..].split(')').next().unwrap_or_default(),
        None => text.split('[').next().unwrap_or_default(),
    }
}

/// The length of a directive of the preprocessor, with the lines that continue it.
fn directive(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    length
}

/// A declaration with its semicolon, and what follows it; the body of a function is left out.
fn statement(text: &str) -> Result<(String, &str), String> {
    let mut depth = 0_usize;
    let mut place = 0;
    let mut body = None;
    while let Some(letter) = text[place..].chars().next() {
        if text[place..].starts_with("/*") {
            place += text[place..].find("*/").ok_or("a comment does not end")? + 2;
            continue;
        }
        match letter {
            '{' if depth == 0 && text[..place].trim_end().ends_with(')') => {
                body = Some(place);
                depth = 1;
            }
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.checked_sub(1).ok_or_else(|| format!("a bracket too many: {text:.80}"))?,
            ';' if depth == 0 => return Ok((text[..=place].to_owned(), &text[place + 1..])),
            _ => {}
        }
        place += letter.len_utf8();
        if let Some(begin) = body.filter(|_| depth == 0) {
            return Ok((text[..begin].trim_end().to_owned() + ";", &text[place..]));
        }
    }
    Err(format!("a declaration does not end: {text:.80}"))
}

/// A prototype without `static inline`; lines that were aligned stay so.
fn without_inline(text: &str) -> String {
    const INLINE: &str = "static inline ";
    match text.strip_prefix(INLINE) {
        Some(rest) => rest.replace(&format!("\n{}", " ".repeat(INLINE.len())), "\n"),
        None => text.to_owned(),
    }
}

/// A declaration whose comments of one line have no lines for their marks.
fn on_one_line(text: &str) -> String {
    let mut parts = text.split("/**\n");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let comment: Vec<&str> = part.splitn(3, '\n').collect();
        match comment[..] {
            [line, end, rest] if end.trim() == "*/" => {
                let line = line.trim_start().trim_start_matches("* ");
                out.extend(["/* ", line, " */\n", rest]);
            }
            _ => out.extend(["/**\n", part]),
        }
    }
    out
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "/* About. */
#ifndef A_H
#define A_H
#include <b.h>
extern \"C\" {
/** A number. */
#define A_NUMBER -1
/** A type. */
typedef uint64_t a_id_t[2];
/** A function's type. */
typedef void (*a_visit_t)(void *visitor);
/**
 * A structure; with braces.
 */
typedef struct {
    /**
     * A field;
     */
    int (*run)(void *context);
} a_graph_t;

/* ----- The second -----
 *
 * Unless a function says otherwise:
 *
 * Thread safety: none.
 */

/** @brief Call. */
int a_call(void (*callback)(int size),
           ...);
/** @brief Copy. */
static inline int a_copy(int from,
                         int to)
{
    if (from) { return to; }
    return 0; /* } */
}
#define A_HIDDEN(x) x
static inline int a_part_(int x) { return x; }
/** @brief Count. */
#ifdef __cplusplus
#define A_COUNT(first, ...) \\
    a_count(first)
#endif
}
#endif
";

    #[test]
    fn each_declaration_is_found() {
        let chapters = chapters("a.h", HEADER, "Types").expect("a header");
        let titles: Vec<_> = chapters.iter().map(|chapter| chapter.title.as_str()).collect();
        assert_eq!(titles, ["Types", "The second"]);
        assert_eq!(chapters[1].common.thread_safety, "none.");
        let found: Vec<_> = chapters.iter().flat_map(|chapter| &chapter.declarations).collect();
        let shown: Vec<_> = found.iter().map(|d| (d.kind, d.name.as_str(), d.text.as_str())).collect();
        let (kind, structure) = (
            DeclarationKind::Type,
            "typedef struct {\n    /* A field; */\n    int (*run)(void *context);\n} a_graph_t;",
        );
        let expected = [
            (DeclarationKind::Constant, "A_NUMBER", "A_NUMBER -1"),
            (kind, "a_id_t", "typedef uint64_t a_id_t[2];"),
            (kind, "a_visit_t", "typedef void (*a_visit_t)(void *visitor);"),
            (kind, "a_graph_t", structure),
            (DeclarationKind::Function, "a_call", "int a_call(void (*callback)(int size),\n           ...);"),
            (DeclarationKind::Function, "a_copy", "int a_copy(int from,\n           int to);"),
            (DeclarationKind::Macro, "A_COUNT", "A_COUNT(first, ...)"),
        ];
        assert_eq!(shown, expected);
        assert_eq!(about(HEADER), ["About."]);
    }

    #[test]
    fn what_has_no_comment_is_refused() {
        for (header, why) in [
            ("int a_call(void);", "no comment"),
            ("/** Text. */", "does not end"),
            ("/** Text. */ int a_call(void) {", "does not end"),
        ] {
            assert!(chapters("a.h", header, "").err().is_some_and(|e| e.contains(why)), "{header}");
        }
    }
}
