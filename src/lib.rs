//! libdvm: every core of every process as one machine of processing units.

#[allow(dead_code)]
mod config;
mod data;
mod engine;
#[allow(dead_code)]
mod error;
pub mod ffi;
#[allow(dead_code)]
mod graph;
#[allow(dead_code)]
mod machine;
mod processing;
mod sched;
#[allow(dead_code)]
mod sync;
mod task;
#[allow(dead_code)]
mod trace;
