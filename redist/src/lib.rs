//! Redistributions: from any affine distribution of an array to any other, every element exactly once.
//!
//! Rooms, each using only those above it:
//! - `integer`: numbers, affine forms, projections of integer points
//! - `distribution`: distributions, their text and JSON, the usual ones, parameters put in
//! - `tables`: which locations hold each element, and which want it
//! - `periodic`: what repeats is folded; runs of copies
//! - `plan`: one copy per element, balance, descriptors
//! - `nest`: loops with symbolic parameters
//!
//! No input or output beyond parsing and printing.

#![forbid(unsafe_code)]
// The formulas are those of the paper; a closure per item is as clear as a loop.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

pub mod error;

pub mod integer;
pub mod room;

pub mod distribution;

pub mod tables;

pub mod periodic;

pub mod plan;

pub mod nest;

pub use distribution::case::Case;
pub use distribution::{Affine, Bound, Dimension, Distribution, Kind, Parameters, Variable};
pub use error::{Error, Result};
pub use plan::selection::Strategy;
pub use plan::{Figures, Options, Plan};
