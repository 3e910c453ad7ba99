//! Integers that are known only when the region runs: affine forms, and what loops and conditions prove of them.
//! It knows no C but the numbers of declarations in `clang`.

pub mod affine;
pub mod shape;
pub mod surrounding_loops;
pub mod symbols;
