//! From a plan to C.
//!
//! Bounds, origins and conditions are computed in 64 bits, also where the user's counters are narrower; the statements keep the
//! user's types. Products of a constant of the source and a parameter are the largest values: they must stay within 64 bits,
//! which they do for all parameters of 32 bits and for sizes of arrays that fit in memory.

mod body;
mod expression;
mod footprint;
mod frame;
mod graph;
pub mod mark;
mod names;
mod overlap;
mod region;

pub(crate) use frame::Frame;
pub(crate) use graph::PhaseParts;
pub use region::Generated;
pub(crate) use region::{RegionParts, emit};
