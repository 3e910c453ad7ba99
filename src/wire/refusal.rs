//! Why bytes are no message, or a value none that can be sent.

use std::fmt;

/// What was refused, and where in the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Bytes from the beginning of the batch; of a value that cannot be encoded, from the beginning of the buffer.
    pub at: usize,
    /// What is wrong there.
    pub why: Why,
}

/// What is wrong with a batch or message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A field needs more bytes than there are.
    Truncated {
        /// The field.
        what: &'static str,
        /// The bytes that it takes.
        needed: usize,
        /// The bytes that are left.
        left: usize,
    },
    /// Bytes are left after the last field.
    Excess {
        /// What ended before them.
        what: &'static str,
        /// How many.
        bytes: usize,
    },
    /// A field has a value that it cannot have.
    Value {
        /// The field.
        what: &'static str,
        /// The value.
        value: u64,
    },
    /// Something is longer than it may be.
    TooLong {
        /// What.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The most that it may be.
        most: usize,
    },
    /// Two lengths that must be equal are not.
    Lengths {
        /// Of what.
        what: &'static str,
        /// The stated length.
        stated: u64,
        /// The length that there is.
        found: u64,
    },
    /// A text is no UTF-8.
    NotText {
        /// The text.
        what: &'static str,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: ", self.at)?;
        match self.why {
            Why::Truncated { what, needed, left } => {
                write!(f, "{what} takes {needed} bytes, of which {left} are there")
            }
            Why::Excess { what, bytes } => write!(f, "{bytes} bytes are left behind {what}"),
            Why::Value { what, value } => write!(f, "{what} cannot be {value:#x}"),
            Why::TooLong { what, length, most } => write!(f, "{what} has length {length}, and may have {most}"),
            Why::Lengths { what, stated, found } => {
                write!(f, "{what} is said to have length {stated}, and has {found}")
            }
            Why::NotText { what } => write!(f, "{what} is no UTF-8"),
        }
    }
}

impl std::error::Error for Refusal {}
