//! What other modules may ask about a running engine. `view` reads its state, for explanations, and
//! `remote_view` has what waits for other processes. `blocked_tasks` knows
//! the tasks that have left their workers. `progress_samples` knows for how long each worker has been seen at one task.
//! `failures` keeps what the next wait reports. Nothing here stops a worker.

pub(crate) mod blocked_tasks;
pub(crate) mod failures;
pub(crate) mod progress_samples;
pub(crate) mod remote_view;
pub(crate) mod view;
