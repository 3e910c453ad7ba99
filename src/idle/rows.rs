//! How far each of some rows has come, for threads that run rows which wait for each other: `README.md` beside this file
//! has the proof that somebody always goes on.

use super::planted::planted;
use crate::sync::atomic::{AtomicU64, Ordering, yield_now};

/// Looks at a row before the thread gives its CPU away at each look.
#[cfg(not(loom))]
const LOOKS: u32 = 1024;
#[cfg(loom)]
const LOOKS: u32 = 0;

/// The number of steps of a row that have ended. A cache line of its own: others look at it while its thread adds to it.
#[derive(Default)]
#[repr(align(128))]
struct Row(AtomicU64);

/// Rows; no step of any has ended.
pub(crate) struct Rows(Box<[Row]>);

impl Rows {
    pub(crate) fn new(count: usize) -> Rows {
        Rows((0..count).map(|_| Row::default()).collect())
    }

    /// Steps of a row that have ended: what they have done is visible.
    pub(crate) fn ended(&self, row: usize) -> u64 {
        let order = if planted("rows_seen_relaxed") { Ordering::Relaxed } else { Ordering::Acquire };
        self.0[row].0.load(order)
    }

    /// Waits until so many steps of a row have ended; false if all is to stop.
    pub(crate) fn wait(&self, row: usize, steps: u64, stop: impl Fn() -> bool) -> bool {
        let mut looks = 0;
        while self.ended(row) < steps {
            if stop() {
                return false;
            }
            looks += 1;
            if looks <= LOOKS { std::hint::spin_loop() } else { yield_now() }
        }
        true
    }

    /// So many steps of a row have ended now. Only the row's thread calls this.
    pub(crate) fn advance(&self, row: usize, steps: u64) {
        let order = if planted("rows_told_relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.0[row].0.store(steps, order);
    }
}
