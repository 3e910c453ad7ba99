//! From the model to instances, accesses and dependences.

mod dependences;
pub mod footprint;
pub mod order;
mod program;
pub mod rows;

pub use dependences::Dependences;
pub use program::{Program, StatementSets};
