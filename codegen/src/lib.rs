//! From C loop nests to tile tasks on libdvm: frontend -> model -> analysis -> transform -> emit.

pub mod draw;
pub mod model;
