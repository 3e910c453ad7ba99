//! What a clause of a pragma looks like and means. Parsers accept only words of such a table, and messages, `--help` and the
//! man pages are made from it: no clause can be forgotten there.

use std::fmt::Write;

/// Columns before the meanings in `--help`.
const INDENT: usize = 17;
/// The longest line of `--help`.
const WIDTH: usize = 100;

/// A clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClauseForm {
    /// Its first word.
    pub word: &'static str,
    /// Examples, the first of which stands for the clause in `--help`.
    pub forms: &'static [&'static str],
    /// Its grammar, with literal text in quotes.
    pub grammar: &'static str,
    /// What it says, in one sentence.
    pub meaning: &'static str,
}

/// The clause that begins with a word.
pub fn clause_named<'t>(table: &'t [ClauseForm], word: &str) -> Option<&'t ClauseForm> {
    table.iter().find(|clause| clause.word == word)
}

/// All forms, for a message that says what is allowed.
pub fn all_forms(table: &[ClauseForm]) -> String {
    let forms: Vec<&str> = table.iter().flat_map(|clause| clause.forms).copied().collect();
    forms.join(", ")
}

/// The clauses as lines of `--help`.
pub fn help_of_clauses(table: &[ClauseForm]) -> String {
    let mut text = String::new();
    for clause in table {
        let mut line = format!("  {:<width$}", clause.forms[0], width = INDENT - 3);
        for word in clause.meaning.split(' ') {
            if line.len() + 1 + word.len() > WIDTH {
                let _ = writeln!(text, "{line}");
                line = " ".repeat(INDENT - 1);
            }
            line.push(' ');
            line.push_str(word);
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [ClauseForm; 2] = [
        ClauseForm {
            word: "one",
            forms: &["one(1)", "one"],
            grammar: "\"one\"",
            meaning: "this and that, again and again, and once more, until the line is longer than the text that it may have",
        },
        ClauseForm { word: "reduction", forms: &["reduction(+:x)"], grammar: "", meaning: "short" },
    ];

    #[test]
    fn long_meanings_go_on_in_the_next_line() {
        assert_eq!(
            help_of_clauses(&TABLE),
            "  one(1)         this and that, again and again, and once more, until the line is longer than the\n\
             \x20                text that it may have\n  reduction(+:x) short\n"
        );
        assert_eq!(all_forms(&TABLE), "one(1), one, reduction(+:x)");
        assert_eq!(clause_named(&TABLE, "reduction").map(|c| c.word), Some("reduction"));
        assert_eq!(clause_named(&TABLE, "on"), None);
    }
}
