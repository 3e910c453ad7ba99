//! Random C functions around regions: text from seeds, judged against the original.
#![allow(dead_code, clippy::format_push_string)]

pub mod around;
pub mod batch;
pub mod beside;
pub mod function;
pub mod jumps;
pub mod memory;
pub mod nest;
pub mod numbers;
pub mod pure;
pub mod tally;
pub mod tree;
pub mod values;
