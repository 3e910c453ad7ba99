//! From the model to instances, accesses and dependences.

mod dependences;
pub mod footprint;
mod isl_region;
pub mod order_properties;
pub mod overlap;
pub mod row_overruns;

pub use dependences::Dependences;
pub use isl_region::{IslRegion, StatementSets};
