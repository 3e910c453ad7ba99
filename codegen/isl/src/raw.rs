//! isl's declarations as bindgen writes them.
#![allow(non_upper_case_globals, non_camel_case_types, non_snake_case, dead_code, missing_docs, unsafe_code)]
#![allow(clippy::all, clippy::pedantic)]

include!(concat!(env!("OUT_DIR"), "/isl.rs"));
