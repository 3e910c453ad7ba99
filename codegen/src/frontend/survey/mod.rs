//! Looks through a region before any statement is made: its loops' headers, its variables, whose addresses are known.
//! `RegionBuilder` holds what this and the later rooms find; it uses `clang`, `text` and `values`.

pub mod address_uses;
pub mod carried_values;
pub mod continues;
pub mod entry_loads;
pub mod entry_path;
pub mod entry_values;
pub mod hoisted_loads;
pub mod jumps;
pub mod linear_accesses;
pub mod loop_header;
pub mod reaching_definitions;
pub mod region_builder;
pub mod scalar_homes;
pub mod used_before;
pub mod variables;
