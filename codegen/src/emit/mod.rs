//! From a plan to C.

mod body;
mod expression;
mod footprint;
mod frame;
mod graph;
mod names;
mod overlap;
mod region;

pub use region::{Generated, emit};
