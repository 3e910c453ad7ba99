//! Programs that read sizes, factors and pointers from memory, from seeds, and their judge.

#[path = "../linear/judge.rs"]
pub mod judge;
pub mod program;
