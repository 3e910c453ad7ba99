//! Random programs from the C standard, for tests that run some of them.
#![allow(dead_code)]

pub mod choices;
pub mod expression;
pub mod function;
pub mod judge;
pub mod objects;
pub mod program;
pub mod shrink;
pub mod statements;
pub mod types;
