//! The protocols by which threads stand still and continue: which thread is idle, which thread waits for which, and
//! which one is woken. The protocols know neither tasks nor data. Closures and traits connect them to the rest, so that
//! loom runs the same code with callers of its own (`models`). `README.md` has the states, the protocols and their
//! proofs.
//!
//! - `parking`: sleeping and waking; `lookers`: workers that need no wake-up; `worker_bits`: sets of many workers
//! - `backoff`: the rate at which an idle worker looks for tasks
//! - `completion`: ends of tasks are counted, and a thread that waits for them is woken
//! - `slot`: the right to be a worker, and how it changes hands
//! - `arbiter`: tasks that need several cores
//! - `closing`: the end of an engine, in two steps
//! - `team`: threads that help another one with a loop; `rows`: rows of a loop that wait for each other

pub(crate) mod arbiter;
pub(crate) mod backoff;
pub(crate) mod closing;
#[cfg_attr(loom, allow(unsafe_code, reason = "loom's way to read what nobody else writes"))]
pub(crate) mod completion;
mod lookers;
#[cfg(all(test, loom))]
#[allow(unsafe_code, reason = "what a protocol gives to one thread at a time is touched, and loom watches")]
pub(crate) mod models;
pub(crate) mod parking;
pub(crate) mod planted;
pub(crate) mod rows;
#[allow(
    unsafe_code,
    reason = "threads wait in a list that lies on their stacks, and what a slot keeps belongs to its holder"
)]
pub(crate) mod slot;
pub(crate) mod team;
pub(crate) mod worker_bits;
