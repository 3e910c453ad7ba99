//! The engine: workers that run ready tasks, and the calls that make tasks and data. A call enters the engine
//! ([`enter`]). Workers run the tasks that are ready, and sleep when there are none (`src/idle`). `context` and `observe` use each other;
//! each of the others uses those before it:
//!
//! - `context`: the state of each thread, what the workers share, and a call into the engine
//! - `observe`: the state of the engine, for explanations and reports
//! - `submit`: from a call to a ready task
//! - `data_calls`: what calls do with data
//! - `execute`: from a ready task to its end
//! - `shared_tasks`: tasks and calls in which other processes take part
//! - `lifecycle`: init, wait, finalize, fork
#![allow(unsafe_code, reason = "descriptors and the engine itself are shared by address under stated protocols")]

mod context;
mod data_calls;
mod execute;
mod lifecycle;
mod observe;
mod shared_tasks;
mod submit;

pub(crate) use context::across::{AcrossEvent, RemoteAcross, Worked};
pub(crate) use context::call::{Call, enter, panic_text};
pub(crate) use context::job::{Goal, Job, RemoteScheduler, SharedEnd, Target};
pub(crate) use context::rounds::{Delivered, PackedElements, RemoteRounds};
pub(crate) use context::shared::Engine;
pub(crate) use context::source::{Account, Missed, Source, WaitingTile};
pub(crate) use context::{outstanding, under_way};
pub(crate) use execute::section_end::{end_section, sealed};
#[cfg(test)]
pub(crate) use lifecycle::init_alone;
pub(crate) use lifecycle::{
    JobPart, before_end, end_of_service, end_process, finalize, forked, init, init_implicitly, running, serve,
    start_implicit, wait,
};
pub(crate) use observe::{remote_view, view};
pub(crate) use shared_tasks::SharedTask;
pub(crate) use submit::given::MadeArguments;
pub(crate) use submit::wrong_count;
