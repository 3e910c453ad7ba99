//! Why a region stays sequential: a place, a reason and a remedy.

use super::ast::Node;

/// A refusal inside one source file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// First byte of the offending text.
    pub begin: usize,
    /// Past its last byte.
    pub end: usize,
    /// What is wrong.
    pub reason: String,
    /// What to change.
    pub remedy: String,
}

impl Refused {
    /// A refusal of a byte range.
    pub fn span(begin: usize, end: usize, reason: impl Into<String>, remedy: impl Into<String>) -> Refused {
        Refused { begin, end, reason: reason.into(), remedy: remedy.into() }
    }

    /// A refusal of what a node of the syntax tree stands for.
    pub fn at(node: &Node, reason: impl Into<String>, remedy: impl Into<String>) -> Refused {
        Refused::span(node.begin.offset, node.end.offset + node.end.length, reason, remedy)
    }
}
