//! Marks in the generated text: comment lines that give the place in the source of the lines after them.

/// One mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMark {
    /// The user's text follows, from this line and column on.
    At(u32, u32),
    /// The region's original text follows.
    Original,
    /// The user's text ends here.
    End,
    /// Loops around the user's statements follow.
    Loops,
    /// Code for the run-time follows.
    Helpers,
}

impl std::fmt::Display for TextMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TextMark::At(line, column) => write!(f, "/*dvm: at {line} {column}*/"),
            TextMark::Original => f.write_str("/*dvm: original*/"),
            TextMark::End => f.write_str("/*dvm: end*/"),
            TextMark::Loops => f.write_str("/*dvm: loops*/"),
            TextMark::Helpers => f.write_str("/*dvm: helpers*/"),
        }
    }
}

impl TextMark {
    /// Reads a line of generated text.
    pub fn parse(line: &str) -> Option<TextMark> {
        let words: Vec<&str> = line.strip_prefix("/*dvm: ")?.strip_suffix("*/")?.split(' ').collect();
        match words.as_slice() {
            ["at", line, column] => Some(TextMark::At(line.parse().ok()?, column.parse().ok()?)),
            ["original"] => Some(TextMark::Original),
            ["end"] => Some(TextMark::End),
            ["loops"] => Some(TextMark::Loops),
            ["helpers"] => Some(TextMark::Helpers),
            _ => None,
        }
    }
}
