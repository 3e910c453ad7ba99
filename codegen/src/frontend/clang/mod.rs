//! Clang and what it says of a file: the process, the syntax tree, kinds of nodes, types, constants.
//! It uses only the files outside the front end.

pub mod ast;
pub mod constant;
pub mod ctype;
pub mod dialect;
pub mod extent;
pub mod kind;
pub mod machine;
pub mod parts;
pub mod process;
