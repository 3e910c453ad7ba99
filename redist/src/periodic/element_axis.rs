//! The element axis of one dimension without the repetitions: between two events everything repeats with one period.

use crate::error::Result;
use crate::integer::number::narrow;
use crate::room;

/// One period that stands for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Zone {
    /// Where it begins on the folded axis.
    at: i64,
    /// How many it stands for.
    copies: i64,
    /// The length of what was left out before it.
    before: i64,
}

/// A folded axis. A folded position outside of the zones stands for one element; one inside stands for as many as the
/// zone has copies, a period apart. What is left out is a number of whole periods everywhere.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The period.
    pub period: i64,
    zones: Vec<Zone>,
}

impl Axis {
    /// Folds the axis. Progressions begin, or have ended, at events only; `guard` periods, at least one, are kept on each side
    /// of what is left out. `None` when numbers leave their range.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn new(period: i64, mut events: Vec<i64>, guard: i64) -> Result<Option<Self>> {
        events.sort_unstable();
        events.dedup();
        debug_assert!(period > 0 && guard > 0);
        let (length, guard, mut before, mut zones) = (i128::from(period), i128::from(guard), 0_i128, Vec::new());
        for gap in events.windows(2) {
            let (from, to) = (i128::from(gap[0]), i128::from(gap[1]));
            let spare = (to - from) / length - (2 * guard + 1);
            if spare > 0 {
                let at = narrow(from - before + guard * length);
                let (Some(at), Some(copies), Some(known)) = (at, narrow(spare + 1), narrow(before)) else {
                    return Ok(None);
                };
                room::push(&mut zones, Zone { at, copies, before: known })?;
                before += spare * length;
            }
        }
        Ok(narrow(before).map(|_| Self { period, zones }))
    }

    /// In how many places something is left out.
    pub fn zones(&self) -> usize {
        self.zones.len()
    }

    /// What is left out before an element next to an event.
    pub fn left_out(&self, element: i64) -> i64 {
        let after = self.zones.partition_point(|z| z.at + z.before <= element);
        self.zones[..after].last().map_or(0, |z| z.before + (z.copies - 1) * self.period)
    }

    /// What was left out before the first and before the last element that a folded position stands for.
    pub fn shifts(&self, position: i64) -> (i64, i64) {
        let after = self.zones.partition_point(|z| z.at <= position);
        let Some(z) = self.zones[..after].last() else { return (0, 0) };
        let past = z.before + (z.copies - 1) * self.period;
        if position - z.at < self.period { (z.before, past) } else { (past, past) }
    }

    /// How many elements a folded position stands for.
    pub fn copies(&self, position: i64) -> i64 {
        self.zone(position).map_or(1, |z| self.zones[z].copies)
    }

    /// The first elements that a folded position stands for, at most `most`.
    pub fn first(&self, position: i64, most: usize) -> impl Iterator<Item = i64> {
        let (first, count) = (position + self.shifts(position).0, self.copies(position));
        let period = self.period;
        (0..count).take(most).map(move |k| first + k * period)
    }

    /// A number for the zone that a position is in, or for the room between two zones.
    pub fn section(&self, position: i64) -> usize {
        let after = self.zones.partition_point(|z| z.at <= position);
        2 * after - usize::from(self.zone(position).is_some())
    }

    fn zone(&self, position: i64) -> Option<usize> {
        let k = self.zones.partition_point(|z| z.at <= position).checked_sub(1)?;
        (position - self.zones[k].at < self.period).then_some(k)
    }

    /// Whether the progression from `low` to `high` by `step`, which divides the period, has all or none of its
    /// places in each zone.
    pub fn covers_whole_zones(&self, low: i64, high: i64, step: i64) -> bool {
        let begins = self.zone(low).is_none_or(|z| low - self.zones[z].at < step);
        let ends = self.zone(high).is_none_or(|z| high - self.zones[z].at >= self.period - step);
        begins && ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_stand_for_every_element_once() {
        for period in 1..5 {
            let events = [-7, 0, 3, 50, 51, 120];
            let axis = Axis::new(period, events.to_vec(), 2).unwrap().unwrap();
            assert!(axis.zones() > 0);
            let mut all = Vec::new();
            for position in -7..120 - axis.left_out(120) {
                let (first, last) = axis.shifts(position);
                assert_eq!(axis.copies(position), (last - first) / period + 1);
                all.extend((0..axis.copies(position)).map(|k| position + first + k * period));
            }
            all.sort_unstable();
            assert_eq!(all, (-7..120).collect::<Vec<i64>>());
        }
    }
}
