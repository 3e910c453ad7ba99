//! A bounded store of events that keeps the latest.

use std::cmp::Reverse;

use super::coordinates::{self, WORDS};
use crate::error::Error;
use crate::memory;

/// So many events get their memory at once.
const AT_ONCE: usize = 1 << 18;

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Task,
    Tile,
    Steal,
    Sleep,
    /// Has no duration; `coordinates` are the number of the datum and its bytes.
    Publish,
    /// `coordinates` as for a publication.
    Copy,
    /// An argument of the task that began at the same time in the same row, without duration: `coordinates` are the number
    /// of the datum, its bytes, 1 if the task produces it, and the datum's home.
    Argument,
    /// A message between processes, or what it has led to. `coordinates`: the arrow; then home, number and bytes of a
    /// datum. `dimension`: the other process; of a task that was sent, `subject` is its name.
    Message(MessageKind),
}

/// What a process does with a message that is drawn as an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// Sends a task: an arrow begins.
    SendTask,
    /// A task that has come begins: the arrow ends. Has no duration.
    BeginTask,
    /// Asks for the bytes of a datum: an arrow begins.
    AskBytes,
    /// Sends them: the arrow's middle.
    SendBytes,
    /// Has them: the arrow ends.
    HaveBytes,
}

/// Something that a worker or another thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Since the trace began, in units of its clock.
    pub start: u64,
    /// In units of the clock.
    pub duration: u64,
    /// Of a tile its coordinates, packed.
    pub coordinates: [i64; WORDS],
    /// The number of the name of a task or tile; of a steal, the worker that had the work.
    pub subject: u32,
    /// How many coordinates the tile has, also those that are not kept.
    pub dimension: u16,
    /// How many coordinates of the tile are kept.
    pub kept: u8,
    pub kind: Kind,
}

impl Event {
    /// The coordinates of a tile that are kept.
    pub fn tile(&self) -> impl ExactSizeIterator<Item = i64> {
        coordinates::unpack(self.coordinates, self.kept)
    }

    /// The same in words: numbers with commas between.
    pub fn tile_text(&self) -> String {
        self.tile().map(|coordinate| coordinate.to_string()).collect::<Vec<_>>().join(",")
    }
}

/// The latest events, up to a number.
#[derive(Debug)]
pub(super) struct Ring {
    /// Grows up to `capacity`.
    events: Vec<Event>,
    capacity: usize,
    /// The place of the earliest, once it is full.
    earliest: usize,
    /// How many were ever pushed.
    pushed: u64,
}

impl Ring {
    /// An empty one of so many events.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(capacity: usize) -> Result<Ring, Error> {
        // Memory that is not written yet costs nothing, and growing copies.
        let mut events = Vec::new();
        memory::room_for(&mut events, capacity.min(AT_ONCE))?;
        Ok(Ring { events, capacity, earliest: 0, pushed: 0 })
    }

    /// Adds an event, over the earliest when full.
    pub fn push(&mut self, event: Event) {
        if self.events.len() < self.capacity {
            // Without memory for more the earliest go sooner.
            if memory::room_for(&mut self.events, 1).is_err() {
                self.capacity = self.events.len();
                return self.push_over(event);
            }
            self.events.push(event);
            self.pushed += 1;
        } else {
            self.push_over(event);
        }
    }

    /// Adds an event over the earliest, if there is one.
    fn push_over(&mut self, event: Event) {
        if let Some(earliest) = self.events.get_mut(self.earliest) {
            *earliest = event;
            self.earliest = if self.earliest + 1 == self.capacity { 0 } else { self.earliest + 1 };
        }
        self.pushed += 1;
    }

    /// Whether nothing was ever pushed.
    pub fn is_empty(&self) -> bool {
        self.pushed == 0
    }

    /// How many were overwritten.
    pub fn dropped(&self) -> u64 {
        self.pushed - self.events.len() as u64
    }

    /// Those that are left, in the order of their starts; of those that start together, the longer first, which holds the
    /// other.
    ///
    /// # Errors
    /// There is no memory for the copy.
    pub fn in_order(&self) -> Result<Vec<Event>, Error> {
        let mut events = memory::list(self.events.iter().copied())?;
        events.sort_unstable_by_key(|event| (event.start, Reverse(event.duration)));
        Ok(events)
    }
}
