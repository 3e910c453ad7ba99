//! From C text to the model: finds regions in the text, analyses them in clang's syntax tree, and makes models, or
//! refuses regions with a reason and a remedy. `read` is the way in.
//!
//! Each room uses only those before it, in this order:
//! `clang`, `text`, `values`, `survey`, `relocation`, `translation`, `effects`, `region`. `nests` finds loops outside of regions,
//! `region_loops` those around regions,
//! `compiler_view` compares what clang and the compiler see.

mod clang;
mod compiler_view;
mod effects;
mod nests;
mod read;
mod region;
mod region_loops;
mod relocation;
mod survey;
mod text;
mod translation;
mod values;

pub use clang::process::{ClangError, command};
pub use clang::target::difference;
pub use nests::{Nest, NestsOfFile, Scalar, nests};
pub use read::{ACROSS, COMPILER_TEXT, Reading, SMALLER, read, refusal};
pub use region::region_reader::Found;
pub use region::start_values::FinalScalars;
pub use region_loops::RegionLoop;
pub use text::clause_table::CLAUSES;
pub use text::pragma::marks;
