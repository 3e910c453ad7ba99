//! What went wrong, where, and what to do about it.

use std::fmt;

/// A refused distribution, case or plan: the place it was found at, what is wrong, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where: a path such as `source.dims[0].vars[1].hi`, or a position in a text.
    pub place: String,
    /// What is wrong there.
    pub what: String,
    /// What to change.
    pub remedy: String,
}

/// The result of everything in this crate that can be refused.
pub type Result<T> = std::result::Result<T, Error>;

const NO_MEMORY: &str = "there is not enough memory to plan with";

impl Error {
    /// An error at `place`.
    pub fn new(place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), remedy: remedy.into() }
    }

    /// The overflow error: a number at `place` leaves the range of this crate.
    pub fn overflow(place: impl Into<String>, quantity: &str) -> Self {
        Self::new(place, format!("{quantity} exceeds 2^62"), "use smaller bounds, coefficients or offsets")
    }

    /// There is no memory for what is to be made at `place`.
    pub fn no_memory(place: impl Into<String>) -> Self {
        Self::new(place, NO_MEMORY, "free some, or raise its limits")
    }

    /// Whether it is that.
    pub fn is_no_memory(&self) -> bool {
        self.what == NO_MEMORY
    }

    /// The same error seen from one level further out: `outer` is put before the place.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.place = if self.place.is_empty() {
            outer.to_owned()
        } else if self.place.starts_with('[') {
            format!("{outer}{}", self.place)
        } else {
            format!("{outer}.{}", self.place)
        };
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.what, self.remedy)
    }
}

impl std::error::Error for Error {}
