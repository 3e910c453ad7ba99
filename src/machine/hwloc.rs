//! Raw hwloc bindings from the build script; only `topology` uses them.
#![allow(
    missing_docs,
    unsafe_code,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unused,
    clippy::all,
    clippy::pedantic,
    reason = "generated from hwloc.h"
)]

include!(concat!(env!("OUT_DIR"), "/hwloc.rs"));
