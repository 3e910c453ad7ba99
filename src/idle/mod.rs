//! Who has nothing to do, who waits for whom, and who is told: the protocols by which threads stand still and go on.
//! They know neither tasks nor data. What has to be asked or done outside is given as a closure or a trait, so that
//! loom runs the same code with callers of its own (`models`). The states, the protocols and their proofs are in
//! `README.md`.
//!
//! - `parking`: sleeping and waking; `lookers`: who need not be woken; `worker_set`: sets of workers, where there are
//!   many
//! - `backoff`: how rarely an idle worker looks
//! - `completion`: the ends of tasks are counted, and whoever waits for them is woken
//! - `slot`: the right to be a worker, and how it changes hands
//! - `arbiter`: tasks that need several cores
//! - `closing`: the end, in two steps

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
#[allow(
    unsafe_code,
    reason = "threads wait in a list that lies on their stacks, and what a slot keeps belongs to its holder"
)]
pub(crate) mod slot;
pub(crate) mod worker_set;
