//! The memory of the process over time, for the timeline and the report.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::sync::lock::Mutex;
use crate::system;

/// Samples are thinned out when there are so many.
const MOST: usize = 2048;

/// Units of the clock between the first samples: about a millisecond or less.
const FIRST_PERIOD: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Memory {
    /// When the next sample is due, in units of the trace's clock.
    due: AtomicU64,
    samples: Mutex<Samples>,
}

#[derive(Debug)]
struct Samples {
    period: u64,
    /// Time and bytes.
    list: Vec<(u64, u64)>,
}

impl Memory {
    pub(super) fn new() -> Memory {
        let samples = Samples { period: FIRST_PERIOD, list: Vec::new() };
        Memory { due: AtomicU64::new(0), samples: Mutex::new(samples) }
    }

    /// Takes a sample if one is due.
    #[inline]
    pub(super) fn sample(&self, now: u64) {
        if now >= self.due.load(Ordering::Relaxed) {
            self.take(now);
        }
    }

    /// Takes a sample.
    #[cold]
    pub(super) fn take(&self, now: u64) {
        let mut samples = self.samples.lock();
        let period = samples.period;
        self.due.store(now.saturating_add(period), Ordering::Relaxed);
        let latest = samples.list.last().map_or(0, |&(time, _)| time);
        samples.list.push((now.max(latest), resident()));
        if samples.list.len() >= MOST {
            samples.period = period.saturating_mul(2);
            let mut place = 0;
            samples.list.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }

    /// All samples: time in units of the clock, and bytes.
    pub(super) fn list(&self) -> Vec<(u64, u64)> {
        self.samples.lock().list.clone()
    }
}

/// The bytes of the process that are in memory; 0 where the system does not say.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * system::page() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_thinned_out_and_stay_in_order() {
        let memory = Memory::new();
        for now in 0..10 * MOST as u64 {
            memory.sample(now * FIRST_PERIOD);
        }
        let list = memory.list();
        assert!(list.len() < MOST && list.len() > MOST / 8, "{}", list.len());
        assert!(list.is_sorted_by_key(|&(time, _)| time));
        assert!(list.iter().all(|&(_, bytes)| bytes > 1 << 20));
    }
}
