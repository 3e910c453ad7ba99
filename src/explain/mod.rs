//! Explains what waits for what: the text of `dvm_explain`, the watchdog and the signal.
//!
//! - `snapshot`: reads the engine, each datum under its own lock, while workers run
//! - `analysis`: causes and cycles, from a snapshot alone
//! - `words`: the text, from a snapshot and its causes; `remote_words`: the parts of it about other processes
//! - `watch`: the thread that explains when no task ends any more, or on a signal (`wake`: what it sleeps on)

mod analysis;
mod remote_words;
mod snapshot;
mod wake;
mod watch;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use watch::{begin, end, print};

use crate::engine::Call;

/// Explains what waits for what, as lines. No lock is held on return.
pub(crate) fn explain(call: &Call) -> String {
    let snapshot = snapshot::read(call);
    words::tell(&snapshot, &analysis::find(&snapshot), true)
}

/// The same, and again without times: the second text stays the same while nothing changes.
fn explain_twice(call: &Call) -> [String; 2] {
    let snapshot = snapshot::read(call);
    let findings = analysis::find(&snapshot);
    [true, false].map(|times| words::tell(&snapshot, &findings, times))
}
