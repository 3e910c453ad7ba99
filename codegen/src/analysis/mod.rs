//! From the model to instances, accesses and dependences.

mod dependences;
mod program;
pub mod rows;

pub use dependences::Dependences;
pub use program::{Program, StatementSets};
