//! Comments of the Fortran module.

use std::fmt::Write;

/// Documentation as comments.
pub(super) fn print_comment(text: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(text, "{indent}!> {line}").map(|()| trim_end(text));
    }
}

/// Comments that belong to no procedure.
pub(super) fn print_plain_comment(text: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(text, "{indent}! {line}").map(|()| trim_end(text));
    }
}

/// Takes the blanks off the last line.
fn trim_end(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}
