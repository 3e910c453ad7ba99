//! Programs with linearised arrays, from seeds, and their judge.

pub mod judge;
pub mod program;
