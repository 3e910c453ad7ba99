//! Tasks that failed since the last report.

use crate::data::{DatumId, names};
use crate::error::{Error, dvm_retcode_t};
use crate::processing::{Mode, Signature};
use crate::sync::lock::Mutex;

/// The largest number of failures whose messages are kept; further failures are only counted.
const MAX_MESSAGES: usize = 8;

/// The largest number of a task's data that the message of its failure names.
const MAX_DATA: usize = 8;

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

/// The arguments of a failed task, in parentheses after a blank: ` (in datum {1, 7} 'left', out datum {1, 9})`.
pub(crate) fn data_in_words(signature: &Signature, ids: impl ExactSizeIterator<Item = DatumId>) -> String {
    let count = ids.len();
    if count == 0 {
        return String::new();
    }
    let way = |place| if signature.mode(place) == Mode::In { "in" } else { "out" };
    let named = ids.take(MAX_DATA).enumerate();
    let mut told: Vec<String> = named.map(|(place, id)| format!("{} {}", way(place), names::in_words(id))).collect();
    if count > MAX_DATA {
        told.push(format!("{} more", count - MAX_DATA));
    }
    format!(" ({})", told.join(", "))
}
