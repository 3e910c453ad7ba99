//! What a trace that is on records, and where: each worker has a book, whose lock is its own until the end.

use std::collections::HashMap;

use super::alignment::Alignment;
use super::clock::Clock;
use super::coordinates;
use super::dot::Drawing;
use super::memory_samples::Memory;
use super::noted::Noted;
use super::output::Output;
use super::ring::{Event, Kind, MessageKind, Ring};
use super::tally::Tally;
use super::traffic::Traffic;
use crate::error::Error;
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
    pub(super) profile: Option<Noted>,
    /// One for each worker, and one for all other threads; in a job also one for what these do with messages.
    pub(super) rows: Vec<Row>,
    /// The row of other threads.
    pub(super) others: usize,
    /// The process's place in a job.
    pub(super) job: Option<JobClock>,
    pub(super) alignment: Mutex<Alignment>,
    pub(super) collected: Mutex<Collected>,
    pub(super) names: Mutex<Names>,
    pub(super) memory: Memory,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct About<'a> {
    /// The same for all that belongs to one task, or to one request for bytes.
    pub(crate) arrow: u64,
    pub(crate) peer: u16,
    /// The description of the task's processing, which lives as long as the program.
    pub(crate) task: Option<&'a str>,
    pub(crate) datum: [u64; 2],
    pub(crate) bytes: u64,
}

/// Converts the times of events.
#[derive(Clone, Debug)]
pub(super) struct Times {
    rate: f64,
    begun: u64,
    job: Option<JobClock>,
    alignment: Alignment,
}

impl Times {
    /// Nanoseconds since the trace began, or in a job since its epoch, by process 0's clock.
    pub(super) fn nanoseconds(&self, units: u64) -> u64 {
        let since = (units as f64 * self.rate) as u64;
        match self.job {
            None => since,
            Some(job) => self.alignment.theirs(self.begun + since).saturating_sub(job.epoch),
        }
    }
}

/// A process of a job, and the clock of its records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobClock {
    pub(crate) process: u32,
    /// The time from which all processes count, by process 0's clock.
    pub(crate) epoch: u64,
}

/// What of a job's records is told elsewhere, or not at all.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) traffic: Option<Traffic>,
    /// What converts the times of this process's parts of the timeline: the clock's rate is measured anew by each question, and
    /// arrows would miss their events.
    pub(super) times: Option<Times>,
    /// Process 0 prints the table, or has printed it.
    pub(super) summary: bool,
    /// Why the merged file could not be written.
    pub(super) failure: Option<Error>,
    /// Data that nobody had relaxed at the end, and their bytes.
    pub(super) left: (u64, u64),
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

    /// What converts this process's times.
    pub(super) fn times(&self) -> Times {
        let alignment = self.alignment.lock().clone();
        Times { rate: self.clock.rate(), begun: self.clock.begun, job: self.job, alignment }
    }

    /// The row of a worker; `None`: of other threads with messages.
    pub(super) fn message_row(&self, worker: Option<usize>) -> &Row {
        &self.rows[worker.unwrap_or(self.rows.len() - 1)]
    }

    pub(super) fn message(&self, worker: Option<usize>, Stamp(start): Stamp, kind: MessageKind, about: &About<'_>) {
        if self.timeline.is_none() {
            return; // the report shows no messages
        }
        let now = self.now();
        let mut book = self.message_row(worker).book.lock();
        let subject = match about.task {
            Some(task) => self.known(&mut book, task.as_ptr().addr(), task),
            None => 0,
        };
        let [home, number] = about.datum;
        book.ring.push(Event {
            start,
            duration: now.saturating_sub(start),
            coordinates: [about.arrow.cast_signed(), home.cast_signed(), number.cast_signed(), about.bytes as i64],
            subject,
            dimension: about.peer,
            kept: 0,
            kind: Kind::Message(kind),
        });
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

    /// Notes the arguments of the task that began at `start`: home and number, bytes, and whether the task produces it.
    pub(super) fn arguments(
        &self,
        worker: usize,
        Stamp(start): Stamp,
        all: impl Iterator<Item = ([u64; 2], usize, bool)>,
    ) {
        let mut book = self.rows[worker].book.lock();
        for ([home, number], bytes, produced) in all {
            let coordinates = [number.cast_signed(), bytes as i64, i64::from(produced), home.cast_signed()];
            book.ring.push(Event {
                start,
                duration: 0,
                coordinates,
                subject: 0,
                dimension: 0,
                kept: 0,
                kind: Kind::Argument,
            });
        }
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
        let dimension = coordinates.len() as u16;
        let (coordinates, kept) = coordinates::pack(coordinates);
        let event = Event { start, duration: now.saturating_sub(start), coordinates, subject, dimension, kept, kind };
        if self.summary || self.profile.is_some() {
            book.tally.add(&event);
        }
        if self.timeline.is_some() || self.profile.is_some() {
            book.ring.push(event);
            self.memory.sample(now);
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
