//! Makes the model of one region: statements, groups of them, final values of counters, one parameter space.
//! It uses all other rooms.

mod arithmetic;
pub mod atomic_groups;
mod chain;
mod element_homes;
pub mod final_counters;
pub mod model_assembly;
mod private_variables;
mod process_ties;
pub mod region_reader;
pub mod start_values;
pub mod statement;
