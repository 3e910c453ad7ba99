//! From C loop nests to tile tasks on libdvm: frontend -> model -> analysis -> transform -> emit.
#![allow(clippy::format_collect)]
// They panic when nobody takes the text.
#![deny(clippy::print_stderr, clippy::print_stdout)]

pub mod analysis;
pub mod c_tokens;
pub mod clause_form;
pub mod clauses;
pub mod diagnostics;
pub mod driver;
pub mod emit;
pub mod fortran;
pub mod frontend;
pub mod limits;
pub mod lowered;
pub mod model;
pub mod pipeline;
pub mod planted;
pub mod program;
pub mod redist_c;
pub mod refusal;
pub mod remarks;
pub mod scratch_folder;
pub mod source;
pub mod tile_drawing;
pub mod transform;

pub use emit::Generated;
pub use pipeline::{Stage, generate, print};
pub use refusal::Refusal;
