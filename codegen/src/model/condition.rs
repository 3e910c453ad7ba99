//! Conditions that only the run knows: checked once at entry, before any tile.

/// A condition over the values at a region's entry. If it fails, the original loops run, and `DVM_VERBOSE` says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is the case when the condition fails, e.g. ``the step `s` is not positive``.
    pub reason: String,
    /// C expression in the enclosing function, without effects: nonzero if the condition fails. It is evaluated only
    /// if the conditions before it hold.
    pub fails: String,
}

impl Condition {
    /// A condition that fails for the reason where the C expression `fails` is true.
    pub fn new(reason: impl Into<String>, fails: impl Into<String>) -> Condition {
        Condition { reason: reason.into(), fails: fails.into() }
    }
}
