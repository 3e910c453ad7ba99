//! Redistributions: from any affine distribution of an array to any other, every element exactly once.
//!
//! Layers, each using only those above it: numbers and errors; distributions, their text and JSON forms and the
//! constructors of the usual ones; domains (parameters put in); tables of locations and owners, folded where they repeat;
//! selection of one copy per element; runs and balance; plans. No input or output beyond parsing and printing.

#![forbid(unsafe_code)]
// The formulas are those of the paper; a closure per item is as clear as a loop.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

pub mod error;
pub mod number;

pub mod distribution;
pub mod json;
pub mod layouts;
pub mod text;

pub mod condition;
pub mod elimination;
pub mod isolve;
pub mod projection;
pub mod row;
pub mod shadow;

pub mod axis;
pub mod codes;
pub mod domain;
pub mod fold;
pub mod owners;
pub mod side;
pub mod strands;

pub mod choice;
pub mod flow;
pub mod graver;
pub mod runs;
pub mod selection;
pub mod slices;
pub mod stretch;

pub mod compact;
pub mod descriptor;
pub mod existence;
pub mod missing_points;
pub mod nest;
pub mod plan;

pub use distribution::{Affine, Bound, Dimension, Distribution, Kind, Parameters, Variable};
pub use error::{Error, Result};
pub use json::Case;
pub use plan::{Figures, Options, Plan};
pub use selection::Strategy;
