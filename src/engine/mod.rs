//! The engine: workers that run ready tasks, and the calls that feed them. A call enters ([`enter`]) and makes tasks or
//! data; tasks that are ready are run by workers, which sleep when there are none (`src/idle`). Lowest first:
//!
//! - `context`: what each thread keeps to itself, what the workers share, and a call into the engine
//! - `observe`: what the engine is at, for whoever explains or reports
//! - `submit`: from a call to a ready task
//! - `values`: what calls do with data
//! - `execute`: from a ready task to its end
//! - `lifecycle`: init, wait, finalize, fork
#![allow(unsafe_code, reason = "descriptors and the engine itself are shared by address under stated protocols")]

mod context;
mod execute;
mod lifecycle;
mod observe;
mod submit;
mod values;

pub(crate) use context::call::{Call, enter, panic_text};
pub(crate) use context::shared::Engine;
pub(crate) use context::source::{Account, Missed, Source, WaitingTile};
pub(crate) use context::threads::without_signals;
pub(crate) use execute::section::{end_section, sealed};
pub(crate) use lifecycle::{finalize, forked, init, init_comm, running, serve, start_implicit, wait};
pub(crate) use observe::view;
