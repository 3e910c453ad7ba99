//! The parts that man pages have in common.

use std::fmt::Write as _;

/// Text for roff: special characters escaped, words in backquotes bold.
pub fn roff(text: &str) -> String {
    let mut bold = false;
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\e"),
            '-' => out.push_str("\\-"),
            '`' => {
                bold = !bold;
                out.push_str(if bold { "\\fB" } else { "\\fR" });
            }
            _ => out.push(letter),
        }
    }
    // A line that begins with one of these would be a roff request.
    if out.starts_with(['.', '\'']) { format!("\\&{out}") } else { out }
}

/// The section of exit codes, from the sentence that `--help` prints: `Exit status: 0: done; 2: not done.`
pub fn exit_status(sentence: &str) -> String {
    let mut section = ".SH EXIT STATUS\n".to_owned();
    for status in sentence.trim_start_matches("Exit status: ").trim_end_matches('.').split("; ") {
        let (code, meaning) = status.split_once(": ").unwrap_or_else(|| panic!("no code and meaning: {status}"));
        let _ = writeln!(section, ".TP\n.B {code}\n{}.", roff(meaning));
    }
    section
}

#[test]
fn what_roff_would_take_for_its_own_is_escaped() {
    assert_eq!(roff("a-b \\ `c d`"), "a\\-b \\e \\fBc d\\fR");
    assert_eq!(roff(".TH"), "\\&.TH");
    assert_eq!(
        exit_status("Exit status: 0: well-done; 2: no."),
        ".SH EXIT STATUS\n.TP\n.B 0\nwell\\-done.\n.TP\n.B 2\nno.\n"
    );
}
