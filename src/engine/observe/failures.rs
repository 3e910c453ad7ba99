//! Tasks that failed since the last report.

use crate::sync::lock::Mutex;

use crate::error::{Error, dvm_retcode_t};

/// The largest number of failures whose messages are kept; further failures are only counted.
const MAX_MESSAGES: usize = 8;

/// The message of a failure whose own was not kept.
const NOT_KEPT: &str = "a task failed when many had failed before it: its message was not kept";

#[derive(Default)]
struct Tally {
    failed: u64,
    cancelled: u64,
    messages: Vec<String>,
}

/// Tasks that failed since the last report. Only failing tasks and reports take the lock: no fast path does.
#[derive(Default)]
pub(crate) struct Failures(Mutex<Tally>);

impl Failures {
    /// Counts a task that failed.
    pub(crate) fn failed(&self, message: impl FnOnce() -> String) {
        let mut tally = self.0.lock();
        tally.failed += 1;
        if tally.messages.len() < MAX_MESSAGES {
            tally.messages.push(message());
        }
    }

    /// Counts a task that was cancelled because of others.
    pub(crate) fn cancelled(&self) {
        self.0.lock().cancelled += 1;
    }

    /// How many tasks failed since the last report, and the first message.
    pub(crate) fn so_far(&self) -> (u64, Option<String>) {
        let tally = self.0.lock();
        let first = tally.messages.first().cloned();
        (tally.failed, first.or_else(|| (tally.failed > 0).then(|| NOT_KEPT.to_owned())))
    }

    /// So many failures, the first ones, were reported.
    pub(crate) fn told(&self, count: u64) {
        let mut tally = self.0.lock();
        let messages = tally.messages.len().min(usize::try_from(count).unwrap_or(usize::MAX));
        tally.messages.drain(..messages);
        tally.failed = tally.failed.saturating_sub(count);
        tally.cancelled = 0;
    }

    /// Reports the failures, and clears them. Cancelled tasks alone are no failure: an earlier report has covered the
    /// failure that they depended on, or the end of the engine will.
    pub(crate) fn report(&self) -> Result<(), Error> {
        let tally = std::mem::take(&mut *self.0.lock());
        if tally.failed == 0 {
            return Ok(());
        }
        let mut text = format!(
            "{} task{} failed and {} {} cancelled because of that: {}",
            tally.failed,
            if tally.failed == 1 { "" } else { "s" },
            tally.cancelled,
            if tally.cancelled == 1 { "was" } else { "were" },
            tally.messages.join("; ")
        );
        if tally.failed > tally.messages.len() as u64 {
            text.push_str("; and others");
        }
        Err(Error::new(dvm_retcode_t::DVM_ERR_TASK, text))
    }
}
