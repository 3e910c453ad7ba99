//! The end of a promise.

/// What a promise comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its bytes exist.
    Published,
    /// They never will.
    Poisoned,
}
