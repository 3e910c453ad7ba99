//! Objects of the integer set library (isl), owned and freed by Rust.
//!
//! The wrapper only offers what the code generator uses. An object keeps its context alive, is freed when dropped, and
//! prints and parses as isl text. Operations take references (isl counts them, so a copy is cheap) and return `Result`
//! with isl's own message; a computation beyond the context's limit of operations ends with [`Error::is_quota`].
//!
//! ```
//! let ctx = dvm_isl::Ctx::new(1_000_000);
//! let square = dvm_isl::Set::parse(&ctx, "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }").unwrap();
//! let even = dvm_isl::Set::parse(&ctx, "{ S[i, j] : i mod 2 = 0 }").unwrap();
//! assert!(!square.intersect(&even).unwrap().is_empty().unwrap());
//! ```

#[macro_use]
mod object;

mod ast;
mod build;
mod checked;
mod claims;
mod constraints;
mod ctx;
mod flow;
mod map;
mod notation;
mod raw;
mod schedule;
mod set;
mod union_map;
mod union_set;
mod visits;

/// Whether a past defect is put back: only for tests, like `planted` of the code generator.
fn planted(name: &str) -> bool {
    cfg!(feature = "planted") && std::env::var("DVM_PLANTED").is_ok_and(|chosen| chosen == name)
}

pub use ast::{AstExpr, AstExprKind, AstNode, AstNodeKind, Operator};
pub use build::AstBuild;
pub use constraints::Constraint;
pub use ctx::{Ctx, Error, Result};
pub use flow::{Flow, FlowProblem};
pub use map::Map;
pub use schedule::{NodeKind, Schedule, ScheduleNode, ScheduleOptions, ScheduleProblem};
pub use set::{PwAff, Set};
pub use union_map::{Functions, UnionMap};
pub use union_set::UnionSet;
