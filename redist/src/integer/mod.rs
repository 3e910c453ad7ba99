//! Integer arithmetic without overflow, and projections of integer points, without isl.
//!
//! - `number`: division, greatest common divisors
//! - `affine`: affine forms of counters and parameters
//! - `elimination`, `omega`: equations, and the shadows of the Omega test
//! - `condition`, `projection`: which values of the outer counters have an integer point
//! - `isolve`: the general integer solution of an equation, for the counters of a nest

pub mod affine;
pub mod condition;
pub mod elimination;
pub mod isolve;
pub mod number;
pub mod omega;
pub mod projection;
