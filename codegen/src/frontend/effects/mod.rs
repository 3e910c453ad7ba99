//! What statements and called functions read and write, in which order, and what stays alive.
//! It uses `translation` for subscripts, and the rooms before it.

pub mod aliases;
pub mod attributes;
pub mod callee_reads;
pub mod control_flow;
mod element_flow;
pub mod forwarding;
mod known_arguments;
pub mod liveness;
pub mod passed_scalars;
pub mod purity;
mod reassociation;
mod reductions;
pub mod seen_calls;
pub mod statement_effects;
mod static_temporaries;
mod switches;
