//! What the timeline counts over time: busy workers, and the memory of the process.

use super::line::{Line, runs};

/// So many intervals of equal length have a count.
const INTERVALS: u64 = 2000;

/// How many workers were busy in tasks and tiles, on average over each interval: the interval's begin, and thousandths of a
/// worker. Intervals with the count of the one before are left out; the last entry is the end, where none is busy.
pub(super) fn busy_workers(lines: &[Line]) -> Vec<(u64, u64)> {
    let mut spans = Vec::new();
    for line in lines.iter().filter(|line| line.worker) {
        // What runs inside of another one counts once.
        let mut until = 0;
        for event in line.events.iter().filter(|event| runs(event)) {
            let (begin, end) = (event.start.max(until), event.start + event.duration);
            if begin < end {
                spans.push((begin, end));
                until = end;
            }
        }
    }
    let Some(first) = spans.iter().map(|&(begin, _)| begin).min() else { return Vec::new() };
    let last = spans.iter().map(|&(_, end)| end).max().unwrap_or(first);
    let width = (last - first).div_ceil(INTERVALS).max(1);
    let mut busy = vec![0; (last - first).div_ceil(width) as usize];
    for (begin, end) in spans {
        let mut at = begin;
        while at < end {
            let interval = (at - first) / width;
            let next = end.min(first + (interval + 1) * width);
            busy[interval as usize] += next - at;
            at = next;
        }
    }
    let thousandths = |(interval, time): (usize, &u64)| {
        let begin = first + interval as u64 * width;
        (begin, time * 1000 / width.min(last - begin))
    };
    let mut counts: Vec<(u64, u64)> = busy.iter().enumerate().map(thousandths).collect();
    counts.push((last, 0));
    counts.dedup_by_key(|&mut (_, count)| count);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::coordinates::WORDS;
    use crate::trace::ring::{Event, Kind};

    fn line(worker: bool, spans: &[(u64, u64)]) -> Line {
        let event = |&(start, duration): &(u64, u64)| Event {
            start,
            duration,
            coordinates: [0; WORDS],
            subject: 0,
            dimension: 0,
            kept: 0,
            kind: Kind::Task,
        };
        Line::new(worker, spans.iter().map(event).collect(), 0)
    }

    #[test]
    fn busy_workers_are_counted_once_each() {
        let lines = [line(true, &[(10, 6), (11, 2), (18, 2)]), line(true, &[(14, 4)]), line(false, &[(0, 99)])];
        assert_eq!(busy_workers(&lines), [(10, 1000), (14, 2000), (16, 1000), (20, 0)]);
        assert_eq!(busy_workers(&[line(true, &[])]), []);
        assert_eq!(busy_workers(&[line(true, &[(5, 0)])]), []);
    }

    #[test]
    fn a_long_run_has_averages() {
        let counts = busy_workers(&[line(true, &[(0, 1500), (4000, 1_996_000)])]);
        assert_eq!(counts, [(0, 1000), (1000, 500), (2000, 0), (4000, 1000), (2_000_000, 0)]);
    }
}
