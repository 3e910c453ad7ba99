//! From C loop nests to tile tasks on libdvm: frontend -> model -> analysis -> transform -> emit.

pub mod diagnostics;
pub mod driver;
pub mod frontend;
pub mod model;
