//! Comments of the Fortran module.

use std::fmt::Write;

/// Prints documentation as Fortran comments.
pub(super) fn print_comment(text: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(text, "{indent}!> {line}").map(|()| trim_end(text));
    }
}

/// Prints comments that do not document a procedure.
pub(super) fn print_plain_comment(text: &mut String, indent: &str, lines: &[String]) {
    for line in lines {
        let _ = writeln!(text, "{indent}! {line}").map(|()| trim_end(text));
    }
}

/// Removes trailing blanks from the last line.
fn trim_end(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}
