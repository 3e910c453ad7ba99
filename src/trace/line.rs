//! The events of one worker, and runs of graphs, in nanoseconds.

use std::cmp::Reverse;

use super::ring::{Event, Kind};
use super::session::Session;
use crate::error::Error;

/// The events of a worker, or of the other threads.
pub(super) struct Line {
    pub(super) worker: bool,
    /// In the order of their starts.
    pub(super) events: Vec<Event>,
    pub(super) arguments: Vec<NotedArgument>,
    pub(super) dropped: u64,
}

/// A datum of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotedArgument {
    /// The place of the task in the events of its line.
    pub(super) task: usize,
    pub(super) home: u64,
    pub(super) number: u64,
    pub(super) bytes: u64,
    pub(super) produced: bool,
}

/// A run of a graph, in nanoseconds.
pub(super) struct GraphTiles {
    pub(super) name: u32,
    pub(super) begin: u64,
    pub(super) labels: Vec<(u64, String)>,
    pub(super) edges: Vec<(u64, u64)>,
}

/// The lines of all workers and of the other threads, so far; `time` converts from units of the trace's clock.
pub(super) fn lines(session: &Session, time: impl Fn(u64) -> u64) -> Result<Vec<Line>, Error> {
    let mut lines = Vec::new();
    for (number, row) in session.rows[..=session.others].iter().enumerate() {
        let (events, dropped) = {
            let book = row.book.lock();
            (book.ring.in_order()?, book.ring.dropped())
        };
        let mut line = Line::new(number < session.others, events, dropped);
        for event in &mut line.events {
            let end = time(event.start + event.duration);
            event.start = time(event.start);
            event.duration = end.saturating_sub(event.start);
        }
        lines.push(line);
    }
    Ok(lines)
}

impl Line {
    /// Takes arguments out of the events: each belongs to the task that began at the same time.
    pub(super) fn new(worker: bool, mut events: Vec<Event>, dropped: u64) -> Line {
        events.sort_by_key(|event| (event.start, Reverse(event.duration), event.kind == Kind::Argument));
        let mut line = Line { worker, events: Vec::new(), arguments: Vec::new(), dropped };
        let mut task = None;
        for event in events {
            match event.kind {
                Kind::Message(_) => {}
                Kind::Argument => {
                    let [number, bytes, produced, home] = event.coordinates;
                    if let Some((place, _)) = task.filter(|&(_, start)| start == event.start) {
                        let [number, bytes, home] = [number, bytes, home].map(i64::cast_unsigned);
                        line.arguments.push(NotedArgument {
                            task: place,
                            home,
                            number,
                            bytes,
                            produced: produced != 0,
                        });
                    }
                }
                kind => {
                    if kind == Kind::Task {
                        task = Some((line.events.len(), event.start));
                    }
                    line.events.push(event);
                }
            }
        }
        line
    }
}

impl Line {
    /// Time in tasks and tiles. What runs inside of another one counts once, unless events were dropped: then `sums`, where
    /// it counts twice, are all there is.
    pub(super) fn busy(&self, sums: u64, elapsed: u64) -> u64 {
        if self.dropped > 0 {
            return sums.min(elapsed);
        }
        let (mut busy, mut until) = (0, 0);
        for event in self.events.iter().filter(|event| runs(event)) {
            let end = event.start + event.duration;
            busy += end.saturating_sub(event.start.max(until));
            until = end.max(until);
        }
        busy
    }
}

/// True for what a worker is busy with.
pub(super) fn runs(event: &Event) -> bool {
    matches!(event.kind, Kind::Task | Kind::Tile)
}
