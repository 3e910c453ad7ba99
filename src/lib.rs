//! libdvm: every core of every process as one machine of processing units.

#[allow(dead_code)]
mod sync;
