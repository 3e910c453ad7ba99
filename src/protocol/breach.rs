//! What a peer must not say.

use crate::id::ProcessId;
use std::fmt;

/// A well-formed message that the protocol does not allow here: a replay, an answer to no question, a stranger's.
/// The machine that reports it is as it was before the message; its peer is to be treated as lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Who sent it.
    pub from: ProcessId,
    /// What is wrong with it.
    pub what: &'static str,
}

impl Breach {
    /// This is wrong with a message from this process.
    #[cold]
    pub fn new(from: ProcessId, what: &'static str) -> Breach {
        Breach { from, what }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} broke the protocol: {}", self.from, self.what)
    }
}

impl std::error::Error for Breach {}
