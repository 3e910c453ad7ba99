//! From C text to the model: finds regions in the text, analyses them in clang's syntax tree, and makes models, or
//! refuses regions with a reason and a remedy.

mod affine;
mod ast;
mod attributes;
mod builder;
mod capture;
mod clang;
mod collision;
mod constant;
mod control;
mod ctype;
mod dialect;
mod effects;
mod environment;
mod epilogue;
mod finish;
mod flow;
mod grouping;
mod header;
mod headers;
mod initial;
mod integer;
mod inventory;
mod kind;
mod loops;
mod parts;
mod pasted;
mod place;
mod pragma;
mod preprocess;
mod purity;
mod read;
mod reads;
mod region;
mod room;
mod rows;
mod scope;
mod symbols;
mod unseen;
mod uses;
mod walk;

pub use clang::{ClangError, command};
pub use pragma::marks;
pub use read::{Reading, SMALLER, read, refusal};
pub use region::Found;
