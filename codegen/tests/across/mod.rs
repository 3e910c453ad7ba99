//! Random programs of several processes.

mod built;
mod exchanges;
pub mod judge;
pub mod program;
