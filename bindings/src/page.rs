//! The page docs/reference.md: all declarations of the C headers, with a section for each function.

use std::fmt::Write as _;

use crate::comment::{Comment, Described, Paragraph};
use crate::declaration::{Chapter, Declaration, DeclarationKind};
use crate::reference::{Reference, named};

const TOP: &str = "\
<!-- Generated from the C headers: run the tests of dvm-bindings with DVM_BLESS=1. -->
# Functions

All that `dvm.h`, `dvm_dma.h` and `dvm_mpi.h` declare. The same stands in the headers, and in man pages: `man dvm_init`; `man dvm`
lists them. The module of Fortran has the functions under the same names; [C++ has its own](book/cpp.md) over them.
";

/// The text of the page.
pub fn print(reference: &Reference) -> String {
    let printer = Printer { reference };
    let mut text = TOP.to_owned();
    text.push_str("\n## What holds for every function\n\n");
    printer.prose(&mut text, &reference.rules.brief);
    printer.paragraphs(&mut text, &reference.rules.body);
    for chapter in &reference.chapters {
        printer.chapter(&mut text, chapter);
    }
    text
}

struct Printer<'a> {
    reference: &'a Reference,
}

impl Printer<'_> {
    fn chapter(&self, text: &mut String, chapter: &Chapter) {
        let _ = writeln!(text, "\n## {}\n\n`#include <{}>`", title(&chapter.title), chapter.header);
        let Comment { body, results, thread_safety, .. } = &chapter.common;
        if !(body.is_empty() && results.is_empty() && thread_safety.is_empty()) {
            text.push_str("\nUnless a function says otherwise:\n");
            self.thread_safety(text, thread_safety);
            self.list(text, "", results);
            self.paragraphs(text, body);
        }
        for declaration in &chapter.declarations {
            self.declaration(text, declaration);
        }
    }

    fn declaration(&self, text: &mut String, declaration: &Declaration) {
        let Declaration { name, comment, kind, .. } = declaration;
        let _ = writeln!(text, "\n### {name}\n");
        self.prose(text, &comment.brief);
        let code = if *kind == DeclarationKind::Constant {
            format!("#define {}", declaration.text)
        } else {
            declaration.text.clone()
        };
        let _ = writeln!(text, "\n```c\n{code}\n```");
        self.paragraphs(text, &comment.body);
        self.list(text, "Parameters", &comment.parameters);
        self.list(text, "Returns", &comment.results);
        self.thread_safety(text, &comment.thread_safety);
        if !comment.source.is_empty() {
            text.push('\n');
            self.prose(text, &format!("Source: {}", comment.source));
        }
    }

    fn thread_safety(&self, text: &mut String, content: &str) {
        if !content.is_empty() {
            text.push('\n');
            self.prose(text, &format!("Thread safety: {content}"));
        }
    }

    fn list(&self, text: &mut String, title: &str, entries: &[Described]) {
        if entries.is_empty() {
            return;
        }
        let _ = if title.is_empty() { writeln!(text) } else { writeln!(text, "\n{title}:\n") };
        for entry in entries {
            let direction = if entry.direction.is_empty() { String::new() } else { format!(" ({})", entry.direction) };
            let colon = if entry.text.is_empty() { "" } else { ": " };
            let _ = match entry.name.as_str() {
                "" => write!(text, "- "),
                name => write!(text, "- `{name}`{direction}{colon}"),
            };
            self.prose(text, &entry.text.replace('\n', " "));
        }
    }

    fn paragraphs(&self, text: &mut String, paragraphs: &[Paragraph]) {
        let mut in_list = false;
        for paragraph in paragraphs {
            let item = matches!(paragraph, Paragraph::Item(_));
            if !(in_list && item) {
                text.push('\n');
            }
            in_list = item;
            match paragraph {
                Paragraph::Heading(heading) => {
                    let _ = writeln!(text, "**{}**", title(heading));
                }
                Paragraph::Text(lines) => self.prose(text, lines),
                Paragraph::Item(lines) => {
                    text.push_str("- ");
                    self.prose(text, &lines.replace('\n', " "));
                }
                Paragraph::Code(lines) => {
                    let _ = writeln!(text, "```c\n{lines}\n```");
                }
            }
        }
    }

    /// Prose, line by line: names lead to their sections, and no letter is a mark.
    fn prose(&self, text: &mut String, lines: &str) {
        for line in lines.lines() {
            let mut out = String::new();
            for (number, part) in line.split('`').enumerate() {
                if number % 2 == 1 {
                    let _ = write!(out, "`{part}`");
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
        let _ = match self.reference.find(word) {
            Some(declaration) if declaration.is_called() => write!(out, "[{word}](#{})", word.to_lowercase()),
            _ if word.trim_matches('_').contains('_') => write!(out, "`{word}`"),
            _ => write!(out, "{}", escaped(word)),
        };
    }
}

/// A heading: the letters as they are, but for marks.
fn title(text: &str) -> String {
    if text.contains('`') { text.to_owned() } else { escaped(text) }
}

/// Letters that would be marks, escaped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '\\' | '*' | '[' | ']' | '_' | '|' => out.extend(['\\', letter]),
            _ => out.push(letter),
        }
    }
    out
}

/// A line that would begin a list, a heading or a quotation.
fn guarded(line: String) -> String {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < line.len() && number.starts_with(['.', ')']) {
        let digits = line.len() - number.len();
        return format!("{}\\{number}", &line[..digits]);
    }
    if line.starts_with(['-', '+', '#', '>', '=']) { format!("\\{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::chapters;

    #[test]
    fn a_section_has_all_that_the_comment_says() {
        let header = "/* ----- Calls -----
 *
 * Thread safety: any.
 * DVM_ERR_STATE: not now.
 */
/**
 * @brief Call `x_y` of a_other for 2 * 3 < n[i].
 *
 * 1. is no list, T
 * - e_k no entry of one.
 *
 * - an entry
 *
 * @param[in] x  the first,
 *               and more
 * @retval DVM_ERR_ID  unknown
 * @return  otherwise more
 *
 * Source: added.
 */
dvm_retcode_t a_call(char *x);
/** @brief Other. */
void a_other(void);
/** @brief One. */
#define A_ONE 1
";
        let chapters = chapters("a.h", header, "Ground").expect("a header");
        let text = print(&Reference { rules: Comment::default(), chapters });
        let expected = "
## Calls

`#include <a.h>`

Unless a function says otherwise:

Thread safety: any.

- `DVM_ERR_STATE`: not now.

### a_call

Call `x_y` of [a_other](#a_other) for 2 \\* 3 &lt; n\\[i\\].

```c
dvm_retcode_t a_call(char *x);
```

1\\. is no list, T

- `e_k` no entry of one.
- an entry

Parameters:

- `x` (in): the first, and more

Returns:

- `DVM_ERR_ID`: unknown
- otherwise more

Source: added.

### a_other

Other.

```c
void a_other(void);
```

### A_ONE

One.

```c
#define A_ONE 1
```
";
        assert_eq!(text.split_once("every function\n\n").expect("the rules").1, expected);
        assert_eq!(guarded("+ 1".to_owned()), "\\+ 1");
    }
}
