//! Regions of generated code that run on several processes.
//!
//! All processes call a region together and have the same arrays before and after it. Each runs the tiles that are dealt
//! out to it, in place; what a tile wrote and tiles of another process read goes there in one message, and at the end
//! everybody gets what the region leaves behind.
//!
//! - `rows`: sets of elements; `layout`: the owner of each tile; `plan`: all graphs of a call, and what a tile has for a
//!   process; `machine`: which tiles may run, and which messages are unpacked before. These decide, and have no threads.
//! - `functions`: the generated code; `call`: a call of a region from its beginning to its end; `running`: a graph of it;
//!   `exchange`: what the processes send each other.

mod call;
mod exchange;
mod functions;
mod layout;
mod machine;
mod plan;
mod rows;
mod running;

#[cfg(test)]
mod simulation;

pub(crate) use call::{AcrossCall, GraphOfPhase, RegionFacts, is_across, run};
pub(crate) use functions::{ArrayAt, Body, FlowRows, Functions};
pub(crate) use layout::Preference;
pub(crate) use plan::FlowEnds;
