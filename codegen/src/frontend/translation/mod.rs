//! Translates integer expressions, lvalues and loops to affine forms, exactly or not at all.
//! It uses `relocation` and the rooms before it.

pub mod capture;
pub mod integer;
pub mod loops;
pub mod place;
pub mod rows;
