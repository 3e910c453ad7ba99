//! The clock of events: the processor's counter where the system itself keeps time by it, which is read in half the time
//! that the system's clock takes; else the system's clock.

use std::time::{Duration, Instant};

use crate::system;

/// A clock that counts from its making.
#[derive(Debug)]
pub(super) struct Clock {
    start: Instant,
    /// The system's clock at the start, which other processes of the host have, too.
    pub(super) begun: u64,
    /// What the counter was at the start; `None`: the system's clock is read.
    counter: Option<u64>,
}

/// The processor's counter. Its rate is constant and the same on all cores where the system keeps time by it.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "an instruction of the processor")]
#[inline]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the instruction; a system that forbids it does not keep time by it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[cfg(not(target_arch = "x86_64"))]
fn counter() -> u64 {
    0
}

/// Whether the system keeps time by the counter: then it has found the counters of all cores to agree.
fn trusted() -> bool {
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    cfg!(target_arch = "x86_64") && source.is_ok_and(|source| source.trim() == "tsc")
}

/// Reads the system's clock and the counter at nearly one moment: of several tries the one that took least.
fn together<T>(read: impl Fn() -> T, took: impl Fn(&T, &T) -> Duration) -> (T, u64) {
    let once = || {
        let (before, units, after) = (read(), counter(), read());
        (took(&before, &after), before, units)
    };
    let best = (0..16).map(|_| once()).min_by_key(|(took, ..)| *took).expect("there were tries");
    (best.1, best.2)
}

impl Clock {
    pub(super) fn new() -> Clock {
        let (start, units) = together(Instant::now, |a, b| b.duration_since(*a));
        let begun = system::monotonic_nanoseconds().saturating_sub(start.elapsed().as_nanos() as u64);
        Clock { start, begun, counter: trusted().then_some(units) }
    }

    /// Units since the start: see [`Clock::rate`].
    #[inline]
    pub(super) fn now(&self) -> u64 {
        match self.counter {
            Some(start) => counter().saturating_sub(start),
            None => self.start.elapsed().as_nanos() as u64,
        }
    }

    /// Nanoseconds of a unit, measured from the start until now.
    pub(super) fn rate(&self) -> f64 {
        let Some(start) = self.counter else { return 1.0 };
        let (elapsed, units) = together(|| self.start.elapsed(), |a, b| b.saturating_sub(*a));
        let units = units.saturating_sub(start);
        if units == 0 { 1.0 } else { elapsed.as_nanos() as f64 / units as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_tell_the_same_time() {
        let clock = Clock::new();
        let plain = Clock { start: clock.start, begun: clock.begun, counter: None };
        let before = plain.now();
        std::thread::sleep(std::time::Duration::from_millis(50));
        // What is read between two readings of the other clock lies between them, but for the error of the rate.
        let first = plain.now();
        let now = clock.now();
        let last = plain.now();
        let now = now as f64 * clock.rate();
        assert!(before < first && now > first as f64 * 0.99 && now < last as f64 * 1.01, "{first} {now} {last}");
    }
}
