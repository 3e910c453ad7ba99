//! Makes the model of one region: statements, groups of them, final values of counters, one parameter space.
//! It uses all other rooms.

pub mod epilogue;
pub mod finish;
pub mod grouping;
pub mod region_reader;
pub mod walk;
