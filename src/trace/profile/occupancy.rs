//! How many workers were busy at each time, and with what; and why the others were not.

use std::collections::BTreeMap;

use crate::trace::chains::EventPlace;
use crate::trace::line::{Line, runs};
use crate::trace::ring::Kind;

/// The run is divided into so many spans of equal length.
pub(super) const SPANS: usize = 240;

/// Time of workers in each span, in nanoseconds. Together they are the span's length times the number of workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Uses {
    /// In tasks and tiles.
    pub(super) busy: Vec<u64>,
    /// Asleep while another worker was busy: no task was ready for them.
    pub(super) asleep: Vec<u64>,
    /// Awake without a task while another worker was busy: in libdvm, between tasks and in search of one.
    pub(super) between: Vec<u64>,
    /// While no worker was busy.
    pub(super) nobody: Vec<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Occupancy {
    /// Nanoseconds of a span, at least 1.
    pub(super) span: u64,
    pub(super) uses: Uses,
    /// Time during which so many workers were busy, by their number.
    pub(super) by_count: Vec<u64>,
    /// Time during which a task or tile ran while at most half of the workers were busy, by kind (tile, name).
    pub(super) few: BTreeMap<(bool, u32), u64>,
    /// The event that ran longest during such times, and that time.
    pub(super) longest_few: Option<(EventPlace, u64)>,
}

/// What a worker begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Ends(EventPlace),
    Wakes(u32),
    FallsAsleep(u32),
    Begins(EventPlace),
}

/// What workers did in a run of so many nanoseconds.
pub(super) fn find(lines: &[Line], elapsed: u64) -> Occupancy {
    let workers = lines.iter().filter(|line| line.worker).count();
    let spans = || vec![0; SPANS];
    let mut found = Occupancy {
        span: elapsed.div_ceil(SPANS as u64).max(1),
        uses: Uses { busy: spans(), asleep: spans(), between: spans(), nobody: spans() },
        by_count: vec![0; workers + 1],
        ..Occupancy::default()
    };
    let mut sweep = Sweep { asleep: vec![false; lines.len()], busy: vec![false; lines.len()], ..Sweep::default() };
    let mut last = 0;
    for (time, change) in changes(lines, elapsed) {
        sweep.pass(&mut found, last, time);
        last = time;
        sweep.change(&mut found, lines, change);
    }
    sweep.pass(&mut found, last, elapsed);
    found
}

/// In the order of their times; at one time what ends comes first.
fn changes(lines: &[Line], elapsed: u64) -> Vec<(u64, Change)> {
    let mut changes = Vec::new();
    for (line, of) in lines.iter().enumerate().filter(|(_, of)| of.worker) {
        let line = line as u32;
        let (mut busy_until, mut asleep_until) = (0, 0);
        for (place, event) in of.events.iter().enumerate() {
            // What runs inside of another task is that task's time.
            let end = (event.start + event.duration).min(elapsed);
            let place = (line, place as u32);
            if event.kind == Kind::Sleep && end > event.start.max(asleep_until) {
                changes.push((event.start.max(asleep_until), Change::FallsAsleep(line)));
                changes.push((end, Change::Wakes(line)));
                asleep_until = end;
            } else if runs(event) && end > event.start.max(busy_until) {
                changes.push((event.start.max(busy_until), Change::Begins(place)));
                changes.push((end, Change::Ends(place)));
                busy_until = end;
            }
        }
    }
    changes.sort_unstable();
    changes
}

/// What holds at one time.
#[derive(Default)]
struct Sweep {
    /// What runs, each with its time while few workers were busy.
    running: Vec<(EventPlace, u64)>,
    busy: Vec<bool>,
    asleep: Vec<bool>,
    /// How many are asleep and not busy.
    idle_asleep: usize,
}

impl Sweep {
    /// Adds the time from `from` to `until`, during which nothing changes.
    fn pass(&mut self, found: &mut Occupancy, from: u64, until: u64) {
        let passed = until.saturating_sub(from);
        let (workers, busy) = (found.by_count.len() - 1, self.running.len());
        found.by_count[busy.min(workers)] += passed;
        if busy * 2 <= workers {
            self.running.iter_mut().for_each(|(_, few)| *few += passed);
        }
        let (span, uses) = (found.span, &mut found.uses);
        if busy == 0 {
            spread(&mut uses.nobody, span, from, until, workers);
        } else {
            spread(&mut uses.busy, span, from, until, busy);
            spread(&mut uses.asleep, span, from, until, self.idle_asleep);
            spread(&mut uses.between, span, from, until, workers.saturating_sub(busy + self.idle_asleep));
        }
    }

    fn change(&mut self, found: &mut Occupancy, lines: &[Line], change: Change) {
        let (Change::Begins((line, _)) | Change::Ends((line, _)) | Change::Wakes(line) | Change::FallsAsleep(line)) =
            change;
        let line = line as usize;
        self.idle_asleep -= usize::from(self.asleep[line] && !self.busy[line]);
        match change {
            Change::Begins(place) => {
                self.busy[line] = true;
                self.running.push((place, 0));
            }
            Change::Ends(place) => {
                self.busy[line] = false;
                self.end(found, lines, place);
            }
            Change::FallsAsleep(_) => self.asleep[line] = true,
            Change::Wakes(_) => self.asleep[line] = false,
        }
        self.idle_asleep += usize::from(self.asleep[line] && !self.busy[line]);
    }

    fn end(&mut self, found: &mut Occupancy, lines: &[Line], place: EventPlace) {
        let Some(at) = self.running.iter().position(|(other, _)| *other == place) else { return };
        let (_, few) = self.running.swap_remove(at);
        let event = &lines[place.0 as usize].events[place.1 as usize];
        *found.few.entry((event.kind == Kind::Tile, event.subject)).or_default() += few;
        if few > found.longest_few.map_or(0, |(_, most)| most) {
            found.longest_few = Some((place, few));
        }
    }
}

/// Adds the time from `begin` to `end`, so many times, to the spans in which it lies.
fn spread(spans: &mut [u64], span: u64, begin: u64, end: u64, times: usize) {
    let mut from = begin;
    while from < end && times > 0 {
        let place = (from / span) as usize;
        let until = end.min((from / span + 1) * span);
        let Some(sum) = spans.get_mut(place) else { return };
        *sum += (until - from) * times as u64;
        from = until;
    }
}
