//! Errors of this crate.

use std::fmt;
use std::path::Path;

/// Why the bindings cannot be written, with the place and the remedy.
#[derive(Debug)]
pub struct Trouble {
    place: String,
    what: String,
}

impl Trouble {
    /// An error about this file.
    pub fn new(place: &Path, what: impl Into<String>) -> Trouble {
        Trouble { place: place.display().to_string(), what: what.into() }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

impl std::error::Error for Trouble {}
