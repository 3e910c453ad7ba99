//! What a trace that is on records, and where: each worker has a book, whose lock is its own until the end.

use std::collections::HashMap;

use super::clock::Clock;
use super::dot::Drawing;
use super::output::Output;
use super::ring::{Event, Kind, MAX_COORDINATES, Ring};
use super::tally::Tally;
use crate::sync::lock::Mutex;

/// When something began.
#[derive(Clone, Copy, Debug)]
#[must_use = "an event is recorded when it ends"]
pub(crate) struct Stamp(pub(super) u64);

/// A name that events refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name(pub(super) u32);

#[derive(Debug)]
pub(super) struct Session {
    pub(super) clock: Clock,
    pub(super) timeline: Option<Output>,
    pub(super) summary: bool,
    pub(super) drawing: Option<(Output, Mutex<Drawing>)>,
    /// One for each worker, and one for all other threads.
    pub(super) rows: Vec<Row>,
    pub(super) names: Mutex<Names>,
}

/// A worker's part. Its lock is the worker's own until the end; no two share a cache line.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Row {
    pub(super) title: String,
    pub(super) book: Mutex<Book>,
}

/// What a worker writes.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) ring: Ring,
    pub(super) tally: Tally,
    /// Numbers of names by the address of their text, so that a task's name is found without a lock that others take.
    pub(super) known: HashMap<usize, u32>,
    /// The one that was found last: most tasks follow one of their own kind.
    pub(super) last: (usize, u32),
}

#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) texts: Vec<String>,
    pub(super) numbers: HashMap<String, u32>,
}

impl Session {
    pub(super) fn now(&self) -> u64 {
        self.clock.now()
    }

    pub(super) fn task(&self, worker: usize, start: Stamp, description: &'static str) {
        let now = self.now();
        let mut book = self.rows[worker].book.lock();
        let address = description.as_ptr().addr();
        // Equal addresses are equal texts: descriptions are kept once each, and an empty one has no other's address.
        if book.last.0 != address {
            book.last = (address, self.known(&mut book, address, description));
        }
        let name = book.last.1;
        self.enter(&mut book, now, start, Kind::Task, name, &[]);
    }

    #[cold]
    pub(super) fn known(&self, book: &mut Book, address: usize, description: &str) -> u32 {
        let name = || self.names.lock().intern(description).0;
        *book.known.entry(address).or_insert_with(name)
    }

    pub(super) fn record(&self, row: usize, start: Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
        let now = self.now();
        self.enter(&mut self.rows[row].book.lock(), now, start, kind, subject, coordinates);
    }

    pub(super) fn enter(
        &self,
        book: &mut Book,
        now: u64,
        Stamp(start): Stamp,
        kind: Kind,
        subject: u32,
        coordinates: &[i64],
    ) {
        let mut kept = [0; MAX_COORDINATES];
        for (kept, coordinate) in kept.iter_mut().zip(coordinates) {
            *kept = *coordinate;
        }
        let duration = now.saturating_sub(start);
        let event = Event { start, duration, coordinates: kept, subject, dimension: coordinates.len() as u16, kind };
        if self.summary {
            book.tally.add(&event);
        }
        if self.timeline.is_some() {
            book.ring.push(event);
        }
    }
}

impl Names {
    pub(super) fn intern(&mut self, text: &str) -> Name {
        if let Some(&number) = self.numbers.get(text) {
            return Name(number);
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        Name(number)
    }
}
