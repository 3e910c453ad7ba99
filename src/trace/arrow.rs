//! Arrows between processes: a message that begins in one and ends in another one.

/// A point of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) kind: ArrowKind,
    /// The arrow: the same number for all of its points, and for no other arrow of its kind.
    pub(super) arrow: u64,
    pub(super) phase: ArrowPoint,
    /// In nanoseconds of the job.
    pub(super) time: u64,
    pub(super) process: u32,
    pub(super) row: u32,
}

/// What an arrow shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArrowKind {
    /// A task, from where it is sent to where it begins.
    Task,
    /// Bytes, from who asks by who sends them to who asked.
    Bytes,
}

/// The part of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArrowPoint {
    Begin,
    Middle,
    End,
}

/// The bytes of a point.
const BYTES: usize = 32;

impl Point {
    /// Appends the point.
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.arrow.to_le_bytes());
        to.extend_from_slice(&self.time.to_le_bytes());
        to.extend_from_slice(&self.process.to_le_bytes());
        to.extend_from_slice(&self.row.to_le_bytes());
        to.extend_from_slice(&[self.kind as u8, self.phase as u8, 0, 0, 0, 0, 0, 0]);
    }

    /// The points in these bytes. What is none is left out.
    pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = Point> {
        bytes.chunks_exact(BYTES).filter_map(|bytes| {
            let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
            let small = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
            let kind = *[ArrowKind::Task, ArrowKind::Bytes].get(usize::from(bytes[24]))?;
            let phase = *[ArrowPoint::Begin, ArrowPoint::Middle, ArrowPoint::End].get(usize::from(bytes[25]))?;
            Some(Point { kind, arrow: number(0), phase, time: number(8), process: small(16), row: small(20) })
        })
    }
}

/// The arrows of which beginning and end are known, each with at most one middle, in the order of their points. A ring
/// that was full has lost the points of others, and a task that was cancelled never begins.
pub(super) fn complete(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_unstable_by_key(|point| (point.kind, point.arrow, point.phase, point.time));
    points.dedup_by_key(|point| (point.kind, point.arrow, point.phase));
    let mut kept = 0;
    let mut first = 0;
    while first < points.len() {
        let of = |point: &Point| (point.kind, point.arrow);
        let length = points[first..].iter().take_while(|point| of(point) == of(&points[first])).count();
        let last = first + length;
        if points[first].phase == ArrowPoint::Begin && points[last - 1].phase == ArrowPoint::End {
            points.copy_within(first..last, kept);
            kept += length;
        }
        first = last;
    }
    points.truncate(kept);
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(kind: ArrowKind, arrow: u64, phase: ArrowPoint, time: u64) -> Point {
        Point { kind, arrow, phase, time, process: arrow as u32 + 1, row: 3 }
    }

    #[test]
    fn only_arrows_that_begin_and_end_are_kept_each_point_once() {
        use ArrowKind::{Bytes, Task};
        use ArrowPoint::{Begin, End, Middle};
        let all = vec![
            point(Bytes, 1, End, 9),
            point(Task, 2, End, 8),
            point(Bytes, 1, Middle, 5),
            point(Task, 1, Begin, 1),
            point(Bytes, 1, Begin, 2),
            point(Task, 3, Begin, 4),
            point(Task, 1, End, 7),
            point(Task, 1, Begin, 3),
            point(Bytes, 4, Middle, 4),
        ];
        let expected = [
            point(Task, 1, Begin, 1),
            point(Task, 1, End, 7),
            point(Bytes, 1, Begin, 2),
            point(Bytes, 1, Middle, 5),
            point(Bytes, 1, End, 9),
        ];
        assert_eq!(complete(all), expected);
        assert_eq!(complete(Vec::new()), []);
    }

    #[test]
    fn points_are_read_as_they_were_written() {
        let point = Point {
            kind: ArrowKind::Bytes,
            arrow: u64::MAX - 1,
            phase: ArrowPoint::End,
            time: 1 << 60,
            process: 70_000,
            row: 5,
        };
        let mut bytes = Vec::new();
        point.write(&mut bytes);
        assert_eq!(bytes.len(), BYTES);
        bytes.extend_from_slice(&[9; BYTES]); // no such kind
        point.write(&mut bytes);
        bytes.push(0);
        assert_eq!(Point::read(&bytes).collect::<Vec<_>>(), [point, point]);
    }
}
