//! Prints a lowered region as C. It decides names, types and text; what runs, and in which order, is decided before.
//!
//! Bounds, origins and conditions are computed in 64 bits, also where the user's counters are narrower; the statements keep the
//! user's types. Products of a constant of the source and a parameter are the largest values: they must stay within 64 bits,
//! which they do for all parameters of 32 bits and for sizes of arrays that fit in memory.

mod body;
mod expression;
mod footprint_function;
mod generated_names;
pub mod line_mark;
mod overlap_check;
mod phase_functions;
mod region_function;
mod shared_names;

pub(crate) use phase_functions::PhaseParts;
pub use region_function::Generated;
pub(crate) use region_function::{RegionParts, emit};
pub(crate) use shared_names::SharedNames;
