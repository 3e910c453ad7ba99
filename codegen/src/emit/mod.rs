//! Prints a lowered region as C. This room decides names, types and text; earlier rooms decide what runs and in which
//! order.
//!
//! The generated code computes bounds, origins and conditions in 64 bits, even if the user's counters are narrower. The
//! statements keep the user's types. Each expression has a bound on its value, and a region whose expressions might not
//! fit 64 bits is refused.

mod across_functions;
mod body;
mod chain_blocks;
mod check_function;
mod element_rows;
mod entry_conditions;
mod entry_reads;
mod expression;
mod footprint_function;
mod generated_names;
mod overlap_check;
mod parted_reductions;
mod phase_functions;
mod printer;
mod reductions;
mod region_context;
mod region_function;
mod register_blocks;
mod row_tables;
mod shape_functions;
pub mod text_mark;

pub(crate) use across_functions::UNSERVED;
pub(crate) use phase_functions::PhaseParts;
pub(crate) use region_context::RegionContext;
pub use region_function::Generated;
pub(crate) use region_function::{RegionParts, emit};
