//! Random programs of several processes.

mod exchanges;
pub mod judge;
pub mod program;
