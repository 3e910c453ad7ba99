//! Random programs of several processes.

pub mod judge;
pub mod program;
