//! How a promise ends.

/// The end of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its bytes exist.
    Published,
    /// The bytes will never exist.
    Poisoned,
}
