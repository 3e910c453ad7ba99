//! Looks through a region before any statement is made: its loops' headers, its variables, whose addresses are known.
//! `Builder` holds what this and the later rooms find; it uses `clang`, `text` and `values`.

pub mod builder;
pub mod header;
pub mod inventory;
pub mod uses;
