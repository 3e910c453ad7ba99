//! From the model to instances, accesses and dependences.

mod dependences;
pub mod footprint;
pub mod grouping;
mod isl_region;
mod obstacle;
pub mod order_properties;
pub mod overlap;
pub mod row_overruns;
mod value_flow;

pub use dependences::Dependences;
pub use isl_region::{IslRegion, StatementSets};
pub use obstacle::obstacle;
pub use value_flow::ValueFlow;
