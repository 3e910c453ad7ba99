//! Programs that cross clauses, calls, scalars, values read at entry and data-dependent accesses, and their judge.

pub mod callees;
#[path = "../standard/choices.rs"]
pub mod choices;
pub mod function;
pub mod judge;
pub mod statements;
