//! One level of a strided copy, in bytes.

/// One level in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ByteStep {
    pub(super) count: usize,
    pub(super) source: isize,
    pub(super) target: isize,
}
