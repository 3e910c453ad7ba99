//! Translates integer expressions, lvalues and loops to affine forms, exactly or not at all.
//! It uses `relocation` and the rooms before it.

pub mod closed_form;
pub mod entry_value;
pub mod integer_expression;
pub mod iteration_domain;
pub mod linearised;
pub mod lvalue;
pub mod row_bounds;
