//! Whether an entry of a region without the clause `across` runs on all processes: when that pays. It knows no clock.
//!
//! The first entries go by an estimate. Measured times replace it, by the power of two of the work: each way is run a few
//! times before it is judged, and the way that lost is tried again once in a while, unless it was far behind.

use std::time::Duration;

/// Who runs an entry of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryWay {
    /// The process that runs main.
    Alone,
    /// All processes.
    Across,
}

use EntryWay::{Across, Alone};

/// What is known of an entry before it runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryLoad {
    /// About the number of iterations.
    pub(crate) work: u64,
    /// The bytes of all arrays that it touches.
    pub(crate) bytes: u64,
    pub(crate) processes: u32,
    /// Workers of this process.
    pub(crate) workers: u32,
}

/// Why an entry goes its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayReason {
    /// By estimates, or a measured time and an estimate.
    Estimated,
    /// To measure this way.
    Tried,
    /// By measured times.
    Measured,
}

/// A decision, with the nanoseconds that each way is thought to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WayChoice {
    pub(crate) way: EntryWay,
    pub(crate) reason: WayReason,
    pub(crate) times: [u64; 2],
}

/// Nanoseconds of an iteration on one worker, before any is measured: those of short loops.
const POINT: u64 = 1;

/// Picoseconds for a byte to be packed, sent and unpacked.
const BYTE: u64 = 400;

/// Nanoseconds of the messages of a call, for each other process: the call, its sizes, its end.
const CALL: u64 = 60_000;

/// Runs of a way before it is judged: the first one touches memory and makes plans.
const ENOUGH: u32 = 2;

/// Entries from one trial of the way that lost to the next, at first.
const PAUSE: u32 = 32;

/// Most of them.
const LONGEST_PAUSE: u32 = 4096;

/// Times of one region and one power of two of the work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WayTimes {
    /// The least time of all processes.
    across: Option<u64>,
    /// Entries of each way.
    runs: [u32; 2],
    /// Entries until the way that lost is tried again.
    left: u32,
    pause: u32,
}

impl Default for WayTimes {
    fn default() -> WayTimes {
        WayTimes { across: None, runs: [0; 2], left: PAUSE, pause: PAUSE }
    }
}

impl EntryLoad {
    /// What the call's messages and bytes take: each other process gets its part of the arrays and gives it back.
    fn overhead(self) -> u64 {
        let processes = u64::from(self.processes.max(1));
        let others = processes - 1;
        let moved = u128::from(self.bytes) * 2 * u128::from(others) / u128::from(processes);
        let bytes = u64::try_from(moved * u128::from(BYTE) / 1000).unwrap_or(u64::MAX);
        CALL.saturating_mul(others).saturating_add(bytes)
    }

    /// Nanoseconds of each way, as far as not measured.
    fn estimates(self, measured: [Option<u64>; 2]) -> [u64; 2] {
        let processes = u64::from(self.processes.max(1));
        let unmeasured = self.work.saturating_mul(POINT) / u64::from(self.workers.max(1));
        let alone = match measured {
            [Some(alone), _] => alone,
            // What is not for messages was work, of all processes.
            [None, Some(across)] => across.saturating_sub(self.overhead()).saturating_mul(processes),
            [None, None] => unmeasured,
        };
        [alone, measured[1].unwrap_or((alone / processes).saturating_add(self.overhead()))]
    }
}

/// The way that pays: all processes only where they win a tenth.
fn better([alone, across]: [u64; 2]) -> EntryWay {
    if u128::from(across) * 10 < u128::from(alone) * 9 { Across } else { Alone }
}

impl WayTimes {
    /// The way of the next entry; `alone`: the nanoseconds that one takes in this process, if that was measured.
    pub(crate) fn next(&mut self, load: EntryLoad, alone: Option<u64>) -> WayChoice {
        let times = load.estimates([alone, self.across]);
        let (way, reason) = self.way(times, alone.is_some());
        self.runs[way as usize] = self.runs[way as usize].saturating_add(1);
        WayChoice { way, reason, times }
    }

    fn way(&mut self, times: [u64; 2], is_alone_known: bool) -> (EntryWay, WayReason) {
        let best = better(times);
        let other = if best == Alone { Across } else { Alone };
        let known = if is_alone_known && self.across.is_some() { WayReason::Measured } else { WayReason::Estimated };
        if self.runs[best as usize] < ENOUGH {
            return (best, known);
        }
        // What all processes have taken says little of one: a part of it was messages.
        let unknown = other == Alone && self.runs[Alone as usize] == 0;
        let doubtful = self.runs[other as usize] == 1 && close(times, other);
        if unknown || doubtful {
            return (other, WayReason::Tried);
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            self.left = self.pause;
            if close(times, other) {
                return (other, WayReason::Tried);
            }
        }
        (best, known)
    }

    /// An entry of all processes has taken so long.
    pub(crate) fn took_across(&mut self, time: Duration) {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.across = Some(self.across.map_or(time, |before| before.min(time)));
    }
}

/// Whether a way is not far behind: it may win another time.
fn close(times: [u64; 2], way: EntryWay) -> bool {
    let [own, other] = if way == Alone { times } else { [times[1], times[0]] };
    own / 2 < other
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn load(work: u64, bytes: u64, processes: u32) -> EntryLoad {
        EntryLoad { work, bytes, processes, workers: 1 }
    }

    fn first(load: EntryLoad) -> WayChoice {
        WayTimes::default().next(load, None)
    }

    /// Runs entries; how many went across.
    fn run(load: EntryLoad, entries: u32, [alone, all]: [u64; 2]) -> u32 {
        let (mut known, mut across, mut measured) = (WayTimes::default(), 0, None);
        for _ in 0..entries {
            match known.next(load, measured).way {
                Alone => measured = Some(alone),
                Across => {
                    across += 1;
                    known.took_across(Duration::from_nanos(all));
                }
            }
        }
        across
    }

    #[test]
    fn little_work_stays_and_much_work_with_few_bytes_goes_across() {
        assert_eq!(first(load(1000, 8000, 4)).way, Alone);
        assert_eq!(first(load(100_000_000, 8 << 20, 4)).way, Across);
        assert_eq!(first(load(100_000_000, 8 << 20, 4)).reason, WayReason::Estimated);
        assert_eq!(first(load(100_000_000, 1 << 30, 4)).way, Alone, "the bytes take longer than the work");
        assert_eq!(first(load(100_000_000, 0, 1)).way, Alone, "there is no other process");
        first(load(u64::MAX, u64::MAX, u32::MAX));
    }

    #[test]
    fn all_processes_must_win_a_tenth() {
        assert_eq!(better([1000, 899]), Across);
        assert_eq!(better([1000, 900]), Alone);
        assert_eq!(better([0, 0]), Alone);
    }

    #[test]
    fn workers_of_this_process_count() {
        let one = load(400_000, 0, 2);
        assert_eq!(first(one).way, Across);
        assert_eq!(first(EntryLoad { workers: 8, ..one }).way, Alone);
    }

    #[test]
    fn measured_times_replace_the_estimate() {
        let small = load(10_000, 8000, 4);
        let across = run(small, 100, [40_000_000, 11_000_000]);
        assert!(across >= 90, "each iteration takes long: {across}");
        let large = load(100_000_000, 8 << 20, 4);
        let across = run(large, 100, [30_000_000, 50_000_000]);
        assert!(across <= 6, "it was estimated to pay, and does not: {across}");
    }

    #[test]
    fn trials_are_few() {
        assert_eq!(run(load(1000, 8000, 2), 100_000, [1000, 70_000]), 0, "far too little work");
        let across = run(load(1_000_000, 8000, 2), 100_000, [100_000, 120_000]);
        assert!(across < 60, "{across}");
        let across = run(load(10_000_000, 8000, 2), 100_000, [9_000_000, 5_000_000]);
        assert!(across > 99_900, "{across}");
    }

    #[test]
    fn one_process_is_tried_before_all_are_kept() {
        let entry = load(10_000_000, 8000, 2);
        let mut known = WayTimes::default();
        for time in [40, 5] {
            assert_eq!((known.next(entry, None).way, known.across.is_some()), (Across, time == 5));
            known.took_across(Duration::from_millis(time));
        }
        let tried = known.next(entry, None);
        assert_eq!((tried.way, tried.reason), (Alone, WayReason::Tried));
        let times = [9_000_000, 5_000_000];
        let again = known.next(entry, Some(9_000_000));
        assert_eq!(again, WayChoice { way: Alone, reason: WayReason::Tried, times }, "it is not far behind");
        let kept = known.next(entry, Some(9_000_000));
        assert_eq!(kept, WayChoice { way: Across, reason: WayReason::Measured, times });
    }
}
