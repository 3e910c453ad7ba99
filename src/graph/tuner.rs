//! Which of two ways is faster, from measured times. It knows no clock and no region.
//!
//! A *trial* runs both ways some times, in a fixed order, and compares the least times: other programs and first touches
//! of memory only add time. The faster way is then *kept* for a number of entries, and tried again. Where a trial
//! confirms what was kept, the next one comes twice as late. A trial ends early where a way has proved twice as slow.
//!
//! The least time of tiles says what they can do, not what they do: many workers seldom all come at once. So the entries
//! after a trial that tiles have won are *watched*: if most take longer than the plain way has, some plain entries
//! follow, and the means decide.

/// How a region or a phase runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionWay {
    /// A region: its original loops. A phase: one tile.
    Plain,
    /// A region: its phases. A phase: several tiles.
    Tiled,
}

use RegionWay::{Plain, Tiled};

/// What a trial runs.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    ways: &'static [RegionWay],
    /// Runs of each way from which it can prove clearly slower. The very first entry touches memory and starts workers:
    /// alone it proves nothing against its way.
    enough: [usize; 2],
}

/// The first trial of something small. The tiled way comes often in a row: phases inside a region have trials of their
/// own meanwhile, and workers have to wake up.
const SMALL: &Order =
    &Order { ways: &[Plain, Tiled, Tiled, Tiled, Tiled, Tiled, Tiled, Tiled, Tiled, Plain], enough: [2, 4] };

/// The first trial of something large, which may come a few times only, and for which tiles are likely to win.
const LARGE: &Order = &Order { ways: &[Tiled, Tiled, Plain, Tiled, Tiled, Tiled, Plain], enough: [1, 2] };

/// A later trial.
const AGAIN: &Order = &Order { ways: &[Tiled, Tiled, Plain, Tiled, Plain], enough: [1, 2] };

/// How many times slower a way is that needs no further run.
const CLEARLY: u64 = 2;

/// The most that a ratio of times counts for the entries until the next trial, if a trial ended early and none before
/// it found the same: its one run of the slower way may have been disturbed.
const UNCONFIRMED: u64 = 4;

/// Nanoseconds below which tiles have nothing to win: a start costs about as much.
const CHEAP: u64 = 2000;

/// Entries between two trials for each entry that the slower way's time is worth: a trial costs a few percent at most.
const RARELY: u64 = 100;

/// Entries after a trial whose times are looked at, if tiles have won it.
const WATCHED: u32 = 32;

/// Plain entries that are compared with the watched ones.
const COMPARED: u32 = 4;

/// How many times the plain way's time a watched entry counts at most: a disturbance may take any time.
const MOST_COUNTED: u64 = 4;

/// The most that a ratio of times counts.
const MOST_RATIO: u64 = 1000;

/// The largest number of times that the entries between two trials double.
const MOST_DOUBLINGS: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The next step of a trial.
    Trial { order: &'static Order, step: usize },
    /// Entries until the next trial.
    Kept { left: u64 },
    /// Tiles run: how many times were seen, how many of them were longer than the plain way's, and their sum; up to which
    /// ratio the trial's times count.
    Watched { seen: u32, slow: u32, sum: u64, most: u64 },
    /// The plain way runs so many times more; the sum of its times, and the mean of the tiles'.
    Compared { left: u32, sum: u64, tiled: u64 },
}

/// What is known of one region or phase, for one power of two of its work.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tuner {
    state: State,
    best: RegionWay,
    /// The least times of the trial, or of the last one, in nanoseconds; `u64::MAX`: none.
    times: [u64; 2],
    /// The least time of the plain way in the last trial that has one; 0: none.
    plain: u64,
    /// Trials in a row that confirmed the best way.
    confirmed: u32,
    /// How often tiles have won a trial, and then taken longer.
    disappointed: u32,
    /// Whether there was a trial.
    decided: bool,
}

/// What a measured entry has brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrialStep {
    /// The trial goes on.
    Open,
    /// The way stays.
    Confirmed,
    /// There is a first way, or another one.
    Changed,
}

impl Order {
    /// Whether one of the ways has run often enough, after `step` runs, and is clearly slower.
    fn is_clear(&self, step: usize, times: [u64; 2]) -> bool {
        let slower = |way: RegionWay, other: RegionWay| {
            let runs = self.ways[..step].iter().filter(|ran| **ran == way).count();
            let [time, least] = [times[way as usize], times[other as usize]];
            runs >= self.enough[way as usize] && least != u64::MAX && time / CLEARLY >= least
        };
        slower(Plain, Tiled) || slower(Tiled, Plain)
    }
}

impl Tuner {
    /// Nothing is known; `large`: a single entry is long.
    pub(crate) fn new(large: bool) -> Tuner {
        let order = if large { LARGE } else { SMALL };
        Tuner {
            state: State::Trial { order, step: 0 },
            best: Plain,
            times: [u64::MAX; 2],
            plain: 0,
            confirmed: 0,
            disappointed: 0,
            decided: false,
        }
    }

    /// As an earlier program has learnt it.
    pub(crate) fn known(best: RegionWay, times: [u64; 2]) -> Tuner {
        let plain = if times[0] == u64::MAX { 0 } else { times[0] };
        let state = State::Kept { left: 0 };
        let mut tuner = Tuner { state, best, times, plain, confirmed: 1, disappointed: 0, decided: true };
        tuner.keep(MOST_RATIO);
        tuner
    }

    /// The way of the next entry, and whether its time is wanted.
    pub(crate) fn next(&mut self) -> (RegionWay, bool) {
        match &mut self.state {
            State::Trial { order, step } => (order.ways[*step], true),
            State::Watched { .. } => (Tiled, true),
            State::Compared { .. } => (Plain, true),
            State::Kept { left: 0 } => {
                self.state = State::Trial { order: AGAIN, step: 0 };
                self.times = [u64::MAX; 2];
                (AGAIN.ways[0], true)
            }
            State::Kept { left } => {
                *left -= 1;
                (self.best, false)
            }
        }
    }

    /// Takes the entries until the next trial out of the count, if all of them go the plain way: the caller counts them.
    pub(crate) fn take_plain(&mut self) -> u64 {
        match &mut self.state {
            State::Kept { left } if self.best == Plain => std::mem::take(left),
            _ => 0,
        }
    }

    /// An entry took so many nanoseconds.
    pub(crate) fn took(&mut self, way: RegionWay, nanoseconds: u64) -> TrialStep {
        let State::Trial { order, step } = &mut self.state else { return self.watch(way, nanoseconds) };
        if order.ways[*step] != way {
            return TrialStep::Open; // of another thread's entry
        }
        let time = &mut self.times[way as usize];
        *time = (*time).min(nanoseconds);
        if way == Plain {
            self.plain = *time;
        }
        *step += 1;
        let complete = *step == order.ways.len() || self.times[Plain as usize] < CHEAP;
        if !complete && !order.is_clear(*step, self.times) {
            return TrialStep::Open;
        }
        if self.end(complete) { TrialStep::Changed } else { TrialStep::Confirmed }
    }

    /// An entry after a trial took so many nanoseconds.
    fn watch(&mut self, way: RegionWay, nanoseconds: u64) -> TrialStep {
        let plain = self.times[Plain as usize];
        let counted = nanoseconds.min(plain.saturating_mul(MOST_COUNTED));
        match &mut self.state {
            State::Watched { seen, slow, sum, most } if way == Tiled => {
                (*seen, *slow, *sum) = (*seen + 1, *slow + u32::from(nanoseconds > plain), *sum + counted);
                if *seen == WATCHED && *slow > WATCHED / 2 {
                    self.state = State::Compared { left: COMPARED, sum: 0, tiled: *sum / u64::from(WATCHED) };
                } else if *seen == WATCHED {
                    let most = *most;
                    self.keep(most);
                }
                TrialStep::Open
            }
            State::Compared { left, sum, tiled } if way == Plain => {
                (*left, *sum) = (*left - 1, *sum + counted);
                if *left > 0 {
                    return TrialStep::Open;
                }
                let times = [*sum / u64::from(COMPARED), *tiled];
                self.compare(times)
            }
            _ => TrialStep::Open,
        }
    }

    /// Decides by the mean times of both ways. Where tiles lose, the next trial comes the later the more often they did.
    fn compare(&mut self, times: [u64; 2]) -> TrialStep {
        let lost = times[1] > times[0];
        if lost {
            (self.best, self.times, self.confirmed) = (Plain, times, self.disappointed);
            self.disappointed = (self.disappointed + 1).min(MOST_DOUBLINGS);
        }
        self.keep(MOST_RATIO);
        if lost { TrialStep::Changed } else { TrialStep::Confirmed }
    }

    /// Ends a trial, early if it is not complete; true if its way is new.
    fn end(&mut self, complete: bool) -> bool {
        let [plain, tiled] = self.times;
        // A difference within a twentieth is no reason to change.
        let better = match self.best {
            Plain if tiled < plain / 20 * 19 => Tiled,
            Tiled if plain < tiled / 20 * 19 => Plain,
            best => best,
        };
        let changed = !self.decided || better != self.best;
        let most = if complete || !changed { MOST_RATIO } else { UNCONFIRMED };
        self.decided = true;
        self.confirmed = if better == self.best { (self.confirmed + 1).min(MOST_DOUBLINGS) } else { 0 };
        self.best = better;
        if better == Tiled && plain < u64::MAX {
            self.state = State::Watched { seen: 0, slow: 0, sum: 0, most };
        } else {
            self.keep(most);
        }
        changed
    }

    /// Keeps the best way; the ratio of the times counts up to `most`.
    fn keep(&mut self, most: u64) {
        let [best, other] = if self.best == Plain { self.times } else { [self.times[1], self.times[0]] };
        let ratio = if other == u64::MAX { 1 } else { (other / best.max(1)).clamp(1, most) };
        self.state = State::Kept { left: (RARELY * ratio) << self.confirmed };
    }

    /// The plain way's time, if it was ever measured.
    pub(crate) fn plain_time(&self) -> Option<u64> {
        (self.plain > 0).then_some(self.plain)
    }

    /// The least time of a way in the last trial, if there was any.
    pub(crate) fn least_time(&self) -> Option<u64> {
        self.times.into_iter().min().filter(|time| *time < u64::MAX)
    }

    /// The way that is kept and the times of its last trial; `None` during a trial.
    pub(crate) fn learnt(&self) -> Option<(RegionWay, [u64; 2])> {
        (!matches!(self.state, State::Trial { .. })).then_some((self.best, self.times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs entries whose times `time` gives; returns how often each way ran, and how many entries were timed.
    fn run(tuner: &mut Tuner, entries: u32, mut time: impl FnMut(RegionWay) -> u64) -> ([u32; 2], u32) {
        let (mut ran, mut measured) = ([0; 2], 0);
        for _ in 0..entries {
            let (way, timed) = tuner.next();
            ran[way as usize] += 1;
            measured += u32::from(timed);
            if timed {
                tuner.took(way, time(way));
            }
        }
        (ran, measured)
    }

    #[test]
    fn the_faster_way_runs_and_trials_are_rare() {
        for (large, plain, tiled) in
            [(false, 9000, 5000), (false, 9000, 30_000), (true, 9000, 5000), (true, 3000, 9000)]
        {
            let (ran, measured) = run(&mut Tuner::new(large), 100_000, |way| [plain, tiled][way as usize]);
            let best = if plain < tiled { Plain } else { Tiled };
            assert!(ran[best as usize] > 99_000, "{plain} {tiled}: {ran:?}");
            assert!(measured < 500, "{plain} {tiled}: {measured}");
        }
    }

    #[test]
    fn what_is_large_begins_with_tiles_and_what_is_cheap_never_has_any() {
        assert_eq!(Tuner::new(true).next(), (Tiled, true));
        let (ran, _) = run(&mut Tuner::new(false), 100, |_| CHEAP - 1);
        assert_eq!(ran, [100, 0]);
    }

    #[test]
    fn a_change_is_seen_and_a_disturbed_measurement_decides_nothing() {
        let mut tuner = Tuner::new(false);
        let mut count = 0;
        let disturbed = |way| {
            count += 1;
            if count % 3 == 0 { 500_000 } else { [9000, 5000][way as usize] }
        };
        run(&mut tuner, 50, disturbed);
        assert_eq!(tuner.learnt(), Some((Tiled, [9000, 5000])));
        run(&mut tuner, 5000, |way| [9000, 20_000][way as usize]);
        assert_eq!(tuner.learnt().map(|(way, _)| way), Some(Plain));
        run(&mut tuner, 500_000, |way| [9000, 2500][way as usize]);
        assert_eq!(tuner.learnt().map(|(way, _)| way), Some(Tiled));
    }

    #[test]
    fn tiles_that_are_rarely_fast_do_not_stay() {
        let mut count = 0;
        let uneven = |way| {
            count += 1;
            if way == Plain { 9000 } else { [5000, 14_000, 15_000][count % 3] }
        };
        let (ran, measured) = run(&mut Tuner::new(false), 100_000, uneven);
        assert!(ran[Tiled as usize] < 1000, "{ran:?}");
        assert!(measured < 1000, "{measured}");
        // A machine that is slower as a whole proves nothing against tiles, nor do rare disturbances.
        let mut tuner = Tuner::new(false);
        run(&mut tuner, 15, |way| [9000, 5000][way as usize]);
        let (ran, _) = run(&mut tuner, 10_000, |way| 2 * [9000, 5000][way as usize]);
        assert!(ran[Tiled as usize] > 9900, "{ran:?}");
        let mut count = 0;
        let disturbed = |way| {
            count += 1;
            if count % 3 == 0 { 500_000 } else { [9000, 5000][way as usize] }
        };
        let (ran, _) = run(&mut Tuner::new(false), 10_000, disturbed);
        assert!(ran[Tiled as usize] > 9800, "{ran:?}");
    }

    #[test]
    fn a_way_that_is_clearly_slower_runs_no_more_often_than_it_takes_to_see() {
        let slow_runs = |large, plain, tiled| {
            let (ran, _) = run(&mut Tuner::new(large), 50, |way| [plain, tiled][way as usize]);
            ran[if plain < tiled { Tiled } else { Plain } as usize]
        };
        assert_eq!(slow_runs(true, 9000, 3000), 1, "one run of the original loops shows it");
        assert_eq!(slow_runs(true, 3000, 9000), 2, "the first run of tiles may have paid the start");
        assert_eq!(slow_runs(false, 3000, 9000), 4, "workers wake up meanwhile");
        assert_eq!([slow_runs(true, 9000, 5000), slow_runs(true, 5000, 9000)], [2, 5], "within noise");
    }

    #[test]
    fn the_first_run_of_a_way_proves_nothing_against_it_alone() {
        for (large, cold) in [(false, Plain), (true, Tiled)] {
            let mut first = true;
            let warm = |way| if way == cold { 5000 } else { 9000 };
            let time = |way| if std::mem::take(&mut first) { 900_000 } else { warm(way) };
            let mut tuner = Tuner::new(large);
            run(&mut tuner, 50, time);
            assert_eq!(tuner.learnt().map(|(way, _)| way), Some(cold));
        }
    }

    #[test]
    fn an_early_end_that_a_disturbance_caused_is_soon_mended() {
        let mut runs = 0;
        let disturbed = |way| {
            runs += u32::from(way == Plain);
            if runs == 1 && way == Plain { 500_000 } else { [2500, 9000][way as usize] }
        };
        let (ran, _) = run(&mut Tuner::new(true), 5000, disturbed);
        assert!(ran[Tiled as usize] < 500, "{ran:?}");
    }

    #[test]
    fn an_entry_without_a_time_repeats_its_step() {
        let mut tuner = Tuner::new(false);
        assert_eq!([tuner.next(), tuner.next()], [(Plain, true); 2]);
        assert_eq!(tuner.took(Tiled, 1), TrialStep::Open, "no such step is under way");
        tuner.took(Plain, 9000);
        assert_eq!(tuner.next(), (Tiled, true));
    }

    #[test]
    fn entries_that_the_caller_counts_are_taken_once() {
        let mut tuner = Tuner::known(Plain, [3000, 9000]);
        let left = tuner.take_plain();
        assert!(left >= RARELY);
        assert_eq!(tuner.next(), (Tiled, true), "the next entry that asks begins a trial");
        assert_eq!(Tuner::known(Tiled, [9000, 3000]).take_plain(), 0);
    }
}
