//! Redistributions at run time: from a distribution of an array to another, between memories that are data.
//!
//! - `handles`: numbers for what the program holds; a stale one is always recognised
//! - `layout`: a distribution, and where each of its locations lies in its memory
//! - `copy_list`: strided copies in elements; `byte_level`: one of their levels in bytes
//! - `plan`: the copies between two layouts, made once
//! - `shape`: what a strided copy looks like in bytes, and which kernel makes it
//! - `program`: a plan for one size of element, cut into pieces that workers take
//! - `strided`, `transpose` (of a `transposed_plane`): the kernels; `weave`: copies that take turns
//! - `streamed_lines`: stores past the caches
//! - `round`: one redistribution of some arrays: a task of the engine; `running`: how all workers help it
//! - `dma`: copies that come one by one, as pairs of a send and a receive
//!
//! Memories are named by their number in the distribution, whichever process they belong to. Over processes:
//!
//! - `messages`: which process copies what, and in which order elements are packed; no I/O
//! - `far_plan`: a process's part of a plan; `planning`: how all agree on one
//! - `far_round`: a process's part of a round; `starting`: whose rounds are begun

mod byte_level;
mod copy_list;
mod dma;
mod far_plan;
mod far_round;
mod handles;
mod layout;
mod messages;
mod plan;
mod planning;
mod program;
mod round;
mod running;
mod shape;
mod starting;
mod streamed_lines;
mod strided;
mod transpose;
mod transposed_plane;
mod weave;

#[cfg(test)]
mod tests;

pub(crate) use dma::{Dma, Side};
pub(crate) use far_plan::FarPlan;
pub(crate) use handles::Handles;
pub(crate) use layout::Layout;
pub(crate) use plan::Redistribution;
pub(crate) use planning::{decline, plan_with_others};
pub(crate) use round::Arrays;
pub(crate) use starting::{abstain, start, start_with_datum};

use crate::error::Error;
use crate::memory;

/// A refusal of the algebra as an argument that was refused.
pub(crate) fn refused(error: &dvm_redist::Error) -> Error {
    if error.is_no_memory() { memory::none() } else { Error::argument(error.to_string()) }
}
