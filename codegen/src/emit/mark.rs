//! Marks in the generated text: comments on lines of their own that say where in the source the next lines belong.

/// One mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The user's text follows, from this line and column on.
    At(u32, u32),
    /// The region as it was follows.
    Original,
    /// The user's text ends here.
    End,
    /// Loops around the user's statements follow.
    Loops,
    /// Code follows that only the run-time needs.
    Helpers,
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mark::At(line, column) => write!(f, "/*dvm: at {line} {column}*/"),
            Mark::Original => f.write_str("/*dvm: original*/"),
            Mark::End => f.write_str("/*dvm: end*/"),
            Mark::Loops => f.write_str("/*dvm: loops*/"),
            Mark::Helpers => f.write_str("/*dvm: helpers*/"),
        }
    }
}

impl Mark {
    /// Reads a line of generated text.
    pub fn parse(line: &str) -> Option<Mark> {
        let words: Vec<&str> = line.strip_prefix("/*dvm: ")?.strip_suffix("*/")?.split(' ').collect();
        match words.as_slice() {
            ["at", line, column] => Some(Mark::At(line.parse().ok()?, column.parse().ok()?)),
            ["original"] => Some(Mark::Original),
            ["end"] => Some(Mark::End),
            ["loops"] => Some(Mark::Loops),
            ["helpers"] => Some(Mark::Helpers),
            _ => None,
        }
    }
}
