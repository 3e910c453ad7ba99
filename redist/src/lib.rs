//! Redistributions: from any affine distribution of an array to any other, every element exactly once.
//!
//! Rooms, each using only those above it:
//! - `error`: why a redistribution is refused
//! - `room`: lists whose memory can be refused
//! - `integer`: numbers, affine forms, projections of integer points
//! - `distribution`: distributions, their text and JSON, the usual ones, parameters put in
//! - `tables`: the locations of a side; which of them hold and want each element
//! - `periodic`: what repeats is folded; runs of copies
//! - `plan`: one copy per element, balance, descriptors
//! - `nest`: loops with symbolic parameters
//!
//! No input or output beyond parsing and printing.

#![forbid(unsafe_code)]
// The formulas are those of the paper; a closure per item is as clear as a loop.
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

pub mod distribution;
pub mod error;
pub mod integer;
pub mod nest;
pub mod periodic;
pub mod plan;
pub mod room;
pub mod tables;

pub use distribution::case::Case;
pub use distribution::{Affine, Bound, Dimension, Distribution, Kind, Parameters, Variable};
pub use error::{Error, Result};
pub use plan::selection::Strategy;
pub use plan::{Figures, Options, Plan};
