//! Scheduling: which worker a task goes to, and in which order a worker takes its tasks.
//!
//! - `queue`: a worker's ready tasks: placed ones in order of readiness, others for any worker to steal
//! - `seeded_order`: a different order, drawn from a seed
//! - `nearest_worker`: the worker near a task's data

mod nearest_worker;
#[allow(unsafe_code, reason = "a worker's own end of its queue")]
mod queue;
mod seeded_order;

pub(crate) use nearest_worker::{Weights, near};
pub(crate) use queue::{OwnQueue, Placed, ReadyQueue};
pub(crate) use seeded_order::Seeded;
