//! libdvm: every core of every process as one machine of processing units.

#[allow(dead_code)]
mod config;
#[allow(dead_code)]
mod error;
#[allow(dead_code)]
mod graph;
#[allow(dead_code)]
mod machine;
#[allow(dead_code)]
mod sync;
#[allow(dead_code)]
mod trace;
