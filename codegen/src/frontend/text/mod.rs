//! The text before and beside clang's tree: pragmas that mark regions, the preprocessor, headers that clang lacks.
//! It uses `clang` to run the preprocessor.

pub mod clause_table;
pub mod missing_headers;
pub mod pragma;
pub mod preprocess;
pub mod torn_conditionals;
pub mod two_views;
