//! What `--explain` prints about a code, and docs/refusals.md.

use super::code::{Code, Example};
use std::fmt::Write;

/// The first words of docs/refusals.md.
const HEAD: &str = "\
# Refusals and warnings

A region that cannot become tiles stays as it was, and a message says why. Each kind of message has a code, which stays the
same from version to version: `a.c:7:12: warning: region 'f_1' stays sequential: this subscript is not affine [i * i] [DVM032]`.
`dvmcc --explain DVM032` and `dvm-codegen explain DVM032` print what stands here. Each first example is refused with its
code; the second one is accepted.

This page is made from the table in `codegen/src/refusal/code.rs` (`DVM_BLESS=1 cargo test -p dvm-codegen --test explained`).
";

/// What a user wants to know about a code, for a terminal.
pub fn explanation(code: Code) -> String {
    let mut text = format!("{code}: {}\n\n{}\n", code.meaning(), code.why());
    match code.example() {
        Example::Words(words) => {
            let _ = writeln!(text, "\nFor example: {words}");
        }
        Example::Files { refused, accepted } => {
            let _ = write!(text, "\nRefused:\n\n{}\nAccepted:\n\n{}", indented(refused), indented(accepted));
        }
    }
    text
}

/// The explanation of the code with this text; for an empty text a list of all codes.
pub fn explanation_of(code: &str) -> Result<String, String> {
    if code.is_empty() {
        return Ok(Code::ALL.iter().map(|code| format!("{code}  {}\n", code.meaning())).collect());
    }
    code.parse().map(explanation)
}

/// The page about all codes.
pub fn page() -> String {
    let mut text = HEAD.to_owned();
    for code in Code::ALL {
        let _ = write!(text, "\n## {code}\n{}. {}\n", capital(code.meaning()), code.why());
        match code.example() {
            Example::Words(words) => {
                let _ = writeln!(text, "For example: {words}");
            }
            Example::Files { refused, accepted } => {
                let _ = write!(text, "\n```c\n{refused}```\n\n```c\n{accepted}```\n");
            }
        }
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n").replace("    \n", "\n")).collect()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
