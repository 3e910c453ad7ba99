//! Objects whose values a region reads once, at its entry.

/// An object that the tiles take to keep its value: if the region writes it, the original loops run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// C expression in the enclosing function for the object, e.g. `grid->n`.
    pub object: String,
    /// The user's text for it.
    pub text: String,
    /// Symbols of the written arrays that may share bytes with the object.
    pub against: Vec<String>,
}

/// A step at the region's entry, before its parameters have values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The original loops run unless this C expression is true: they might not do the reads after it.
    Condition(String),
    /// A value is read, and kept in a variable; again under other guards.
    Read {
        /// The variable.
        name: String,
        /// Its type.
        ctype: String,
        /// C expression: whether to read; empty: in any case. What is not read is 0.
        guard: String,
        /// C expression for the value.
        expression: String,
        /// The user's text for it.
        text: String,
    },
}
