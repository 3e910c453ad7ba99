//! What waits for what: the text behind `dvm_explain`, the watchdog and the signal.
//!
//! - `snapshot`: what is read, each datum under its own lock, while workers run
//! - `analysis`: causes and cycles, from a snapshot alone
//! - `words`: the text, from a snapshot and its causes
//! - `watch`: the thread that explains when nothing ends any more, or when a signal asks (`wake`: what it sleeps on)

mod analysis;
mod snapshot;
mod wake;
mod watch;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use watch::{begin, end, print};

use crate::engine::Call;

/// Tells what waits for what, in lines. No lock is held when it returns.
pub(crate) fn explain(call: &Call) -> String {
    let snapshot = snapshot::read(call);
    words::tell(&snapshot, &analysis::find(&snapshot), true)
}

/// The same, and once more without times: that text is the same while nothing changes.
fn explain_twice(call: &Call) -> [String; 2] {
    let snapshot = snapshot::read(call);
    let findings = analysis::find(&snapshot);
    [true, false].map(|times| words::tell(&snapshot, &findings, times))
}
