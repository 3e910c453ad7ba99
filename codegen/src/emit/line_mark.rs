//! Marks in the generated text: comment lines that give the place in the source of the lines after them.

/// One mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineMark {
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

impl std::fmt::Display for LineMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LineMark::At(line, column) => write!(f, "/*dvm: at {line} {column}*/"),
            LineMark::Original => f.write_str("/*dvm: original*/"),
            LineMark::End => f.write_str("/*dvm: end*/"),
            LineMark::Loops => f.write_str("/*dvm: loops*/"),
            LineMark::Helpers => f.write_str("/*dvm: helpers*/"),
        }
    }
}

impl LineMark {
    /// Reads a line of generated text.
    pub fn parse(line: &str) -> Option<LineMark> {
        let words: Vec<&str> = line.strip_prefix("/*dvm: ")?.strip_suffix("*/")?.split(' ').collect();
        match words.as_slice() {
            ["at", line, column] => Some(LineMark::At(line.parse().ok()?, column.parse().ok()?)),
            ["original"] => Some(LineMark::Original),
            ["end"] => Some(LineMark::End),
            ["loops"] => Some(LineMark::Loops),
            ["helpers"] => Some(LineMark::Helpers),
            _ => None,
        }
    }
}
