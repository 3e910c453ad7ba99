//! From Fortran loops to C: flang lowers the file to HLFIR, which tells loops, subscripts and types; each region becomes a
//! function of C with `#pragma dvm region`, which goes the way of all C, and the Fortran text calls it.
//!
//! What the reader does not recognise is refused: an operation of HLFIR and a word of the text count only if they are listed.

pub mod command;
pub mod reading;
pub mod shown_calls;
mod statements;

mod advice;
mod clauses;
mod command_line;
mod constant_arrays;
mod constant_powers;
mod constants;
mod construct_names;
mod element_uses;
mod escape;
mod external_functions;
mod file;
mod flang;
mod function_names;
mod hlfir;
mod included_marks;
mod inlining;
mod intrinsic_names;
mod jumps;
mod kept_objects;
mod kept_texts;
mod lowering;
mod messages;
mod module_files;
mod modules;
mod name_meanings;
mod numeric_functions;
mod passing;
mod places;
mod preprocessed;
mod refused;
mod region;
pub mod remedies;
mod rewriting;
mod scopes;
mod sections;
mod sums;
mod types;
mod values;
mod variables;
mod views;
mod words;

pub use clauses::FORTRAN_CLAUSES;
