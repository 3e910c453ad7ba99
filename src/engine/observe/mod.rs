//! What others may ask about a running engine. `view` reads what it is at, for explanations; `blocked_tasks` knows the
//! tasks that have left their workers, `progress_samples` for how long each worker has been seen at the same task, and
//! `failures` what the next wait reports. Nothing here stops a worker.

pub(crate) mod blocked_tasks;
pub(crate) mod failures;
pub(crate) mod progress_samples;
pub(crate) mod view;
