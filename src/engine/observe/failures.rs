//! Tasks that failed since somebody last asked.

use crate::sync::lock::Mutex;

use crate::error::{Error, dvm_retcode_t};

/// So many failures are told in words; the others are counted.
const TOLD: usize = 8;

#[derive(Default)]
struct Tally {
    failed: u64,
    cancelled: u64,
    messages: Vec<String>,
}

/// Tasks that failed since somebody last asked. The lock is taken by tasks that fail, and by nobody else who is in a
/// hurry.
#[derive(Default)]
pub(crate) struct Failures(Mutex<Tally>);

impl Failures {
    /// Counts a task that failed.
    pub(crate) fn failed(&self, message: impl FnOnce() -> String) {
        let mut tally = self.0.lock();
        tally.failed += 1;
        if tally.messages.len() < TOLD {
            tally.messages.push(message());
        }
    }

    /// Counts a task that was cancelled because of others.
    pub(crate) fn cancelled(&self) {
        self.0.lock().cancelled += 1;
    }

    /// Reports and forgets. Cancelled tasks alone are no failure: what they depended on was reported before, or is the
    /// end's to report.
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
