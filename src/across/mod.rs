//! Regions of generated code that run on several processes.
//!
//! All processes call a region together and have the same arrays before and after it. Each runs the tiles that are dealt
//! out to it, in place; what a tile wrote and tiles of another process read goes there in one message, and at the end
//! everybody gets what the region leaves behind.
//!
//! - `rows`: sets of elements; `layout`: the owner of each tile, `deal`: the best layout; `plan`: all graphs of a call, and what a tile has for a
//!   process, `readers`: which processes to ask about; `machine`: which tiles may run, and which messages are unpacked before;
//!   `window`: how far they run ahead. These decide, and have no threads.
//!
//! In a program of one process, only process 0 has the arrays: the others serve its regions.
//!
//! - `known`: the regions of the program; `served`, `reservation`: one in a process that serves; `program`: serving;
//!   `remembered`: calls that come again.
//! - `offer`, `pays`: whether a region without the clause runs on all processes; `one_program`: whether the program allows it.
//! - `kept`: arrays that stay on the processes between regions: who has what; `spans`, `call_arrays`: as sets of bytes.
//!   `keeper`, `closed_pages`, `guarded_pages`: in process 0, whose main may touch them; `kept_served`: in a process that serves.
//!   `bystanders`: what else of process 0 might use them meanwhile; `loops`: loops of regions, within which they stay without a clause.
//! - `functions`: the generated code; `call`: a call of a region from its beginning to its end; `running`: a graph of it;
//!   `exchange`, `outgoing`: what the processes send each other.
//! - `forecast`: what a call would take on several processes, `simulated_job`: these, `tile_times`: the times of tiles.

mod bystanders;
mod call;
mod call_arrays;
mod closed_pages;
mod deal;
mod exchange;
mod forecast;
mod functions;
mod guarded_pages;
mod keeper;
mod kept;
mod kept_served;
mod known;
mod layout;
mod loops;
mod machine;
mod memory_ranges;
mod offer;
mod one_program;
mod outgoing;
mod pays;
mod plan;
mod program;
mod readers;
mod remembered;
mod reservation;
mod rows;
mod running;
mod served;
mod simulated_job;
mod spans;
mod tile_times;
mod window;

#[cfg(test)]
mod simulation;

pub(crate) use call::{AcrossCall, GraphOfPhase, RegionFacts, foretell, foretells, is_across, processes_of_body, run};
pub(crate) use functions::{ArrayAt, Body, FlowRows, Functions};
pub(crate) use keeper::bring_back;
pub(crate) use known::{
    ContextMember, KnownRegion, ProgramPart, add, add_unserved, any, any_offered, offer, part, set_part,
};
pub(crate) use layout::Preference;
pub(crate) use loops::{in_loop, loop_begins, loop_ended, runs_loop};
pub(crate) use offer::{goes_across, went_across};
pub(crate) use one_program::objection;
pub(crate) use pays::EntryLoad;
pub(crate) use plan::FlowEnds;
pub(crate) use program::{AfterServing, becomes_equal, lead, refuse_late_init, serve};
pub(crate) use served::{GivenArray, Keep};
pub(crate) use window::StepBounds;
