//! libdvm: every core of every process as one machine of processing units.

pub mod error;

mod config;
mod machine;
#[allow(dead_code)]
mod sync;
