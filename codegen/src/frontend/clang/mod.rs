//! Clang and what it says of a file: the process, the syntax tree, kinds of nodes, types, constants.
//! It uses only the files outside the front end.

pub mod ast;
pub mod constant;
pub mod ctype;
pub mod expression_parts;
pub mod extent;
pub mod integer_options;
pub mod ordered_records;
pub mod process;
pub mod syntax_kind;
pub mod target;
