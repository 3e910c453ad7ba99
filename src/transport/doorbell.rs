//! Whoever sleeps is woken by whoever has written something for it (`README.md`).
//!
//! The sleeper's word counts its falling asleep and waking up: it is odd while the sleeper sleeps or is about to. Only
//! the sleeper writes it, and others have it mapped for reading. So one who rings remembers, in its own memory, for
//! which sleep it has rung.

use crate::idle::planted::planted;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::fence;

/// Sleeps by `wait`, unless there is `anything` already. A ring between the two ends the wait, or was for nothing.
pub(crate) fn sleep(word: &AtomicU64, anything: impl FnOnce() -> bool, wait: impl FnOnce()) {
    let sleeps = word.load(Ordering::Relaxed) + 1;
    if planted("look_before_asleep") {
        let there = anything();
        word.store(sleeps, Ordering::Relaxed);
        fence::full();
        if !there {
            wait();
        }
    } else {
        word.store(sleeps, Ordering::Relaxed);
        if !planted("sleeper_without_fence") {
            fence::full();
        }
        if !anything() {
            wait();
        }
    }
    word.store(if planted("sleeps_not_counted") { 0 } else { sleeps + 1 }, Ordering::Relaxed);
}

/// Rings if the owner of the word, which `sleeps` reads, is asleep and this was not done for the same sleep. `rung` is the
/// caller's note for this owner. What the owner is to find was written before.
#[inline]
pub(crate) fn rouse(sleeps: impl FnOnce() -> u64, rung: &AtomicU64, ring: impl FnOnce()) {
    if !planted("ringer_without_fence") {
        fence::full();
    }
    let sleeps = sleeps();
    if sleeps % 2 == 1 && rung.swap(sleeps, Ordering::Relaxed) != sleeps {
        ring();
    }
}
