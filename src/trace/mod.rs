//! What a run did: a timeline (`DVM_TRACE`), a table at its end (`DVM_SUMMARY`), a drawing of its tasks (`DVM_DOT`).
//!
//! Each worker has a book of its own: a ring of fixed-size events, up to `DVM_TRACE_EVENTS`, of which the earliest are
//! overwritten when it is full, and sums. One more book is for the threads that are no workers. [`Trace::finish`] writes
//! the files and prints the table. When nothing is asked for, each call is one branch: no clock is read and nothing is stored.
//!
//! - `clock`: what time is read from
//! - `ring`: events; `chrome`: the timeline's file
//! - `tally`: sums; `summary`: the table
//! - `drawing`: the graph of tasks

mod chrome;
mod clock;
mod drawing;
mod ring;
mod summary;
mod tally;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sync::lock::Mutex;

use crate::config::Config;
use crate::error::{Error, dvm_retcode_t};

pub(crate) use drawing::Tiles;

use clock::Clock;
use drawing::Drawing;
use ring::{Event, Kind, Ring};
use tally::Tally;

/// The most coordinates of a tile that an event holds.
pub(crate) const MAX_COORDINATES: usize = 4;

/// A trace, on or off. Clones write to the same trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Option<Arc<Session>>);

/// When something began.
#[derive(Clone, Copy, Debug)]
#[must_use = "an event is recorded when it ends"]
pub(crate) struct Stamp(u64);

/// A name that events refer to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name(u32);

#[derive(Debug)]
struct Session {
    clock: Clock,
    timeline: Option<Output>,
    summary: bool,
    drawing: Option<(Output, Mutex<Drawing>)>,
    /// One for each worker, and one for all other threads.
    rows: Vec<Row>,
    names: Mutex<Names>,
}

/// A file that is written at the end.
#[derive(Debug)]
struct Output {
    /// The variable that asked for it, and what it holds, for messages.
    variable: &'static str,
    what: &'static str,
    path: PathBuf,
    /// `None` once it was written for the last time.
    file: Mutex<Option<File>>,
}

/// A worker's part. Its lock is the worker's own until the end; no two share a cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Row {
    title: String,
    book: Mutex<Book>,
}

/// What a worker writes.
#[derive(Debug)]
struct Book {
    ring: Ring,
    tally: Tally,
    /// Numbers of names by the address of their text, so that a task's name is found without a lock that others take.
    known: HashMap<usize, u32>,
    /// The one that was found last: most tasks follow one of their own kind.
    last: (usize, u32),
}

#[derive(Debug, Default)]
struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Trace {
    /// A trace that records nothing.
    pub fn off() -> Trace {
        Trace(None)
    }

    /// Opens what `config` asks for; off when it asks for nothing. `titles`: one for each worker.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` when a file cannot be opened for writing.
    pub fn start(config: &Config, titles: impl IntoIterator<Item = String>) -> Result<Trace, Error> {
        if config.trace().is_none() && config.dot().is_none() && !config.summary() {
            return Ok(Trace::off());
        }
        let timeline = config.trace().map(|path| Output::open("DVM_TRACE", "trace", path)).transpose()?;
        let drawing = config.dot().map(|path| Output::open("DVM_DOT", "drawing", path)).transpose()?;
        let drawing = drawing.map(|output| (output, Mutex::new(Drawing::new(config.dot_nodes()))));
        let events = if timeline.is_some() { config.trace_events() } else { 0 };
        let row = |title| -> Result<Row, Error> {
            let ring = Ring::new(events)?;
            let book = Book { ring, tally: Tally::default(), known: HashMap::default(), last: (0, 0) };
            Ok(Row { title, book: Mutex::new(book) })
        };
        Ok(Trace(Some(Arc::new(Session {
            clock: Clock::new(),
            timeline,
            summary: config.summary(),
            drawing,
            rows: titles.into_iter().chain(["other threads".to_owned()]).map(row).collect::<Result<_, _>>()?,
            names: Mutex::default(),
        }))))
    }

    /// Whether anything is recorded.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// The name for `text`: the same for equal texts. It takes a lock that all share; keep the name.
    pub fn name(&self, text: &str) -> Name {
        self.0.as_ref().map_or(Name::default(), |session| session.names.lock().intern(text))
    }

    /// Now; the start of an event.
    #[inline]
    pub fn begin(&self) -> Stamp {
        Stamp(self.0.as_ref().map_or(0, |session| session.now()))
    }

    /// `worker` ran a task of a processing since `start`. Its description lives as long as the program.
    #[inline]
    pub fn task(&self, worker: usize, start: Stamp, description: &'static str) {
        if let Some(session) = &self.0 {
            session.task(worker, start, description);
        }
    }

    /// `worker` ran a tile of the graph `name` since `start`; `None`: a thread that is no worker. The first
    /// [`MAX_COORDINATES`] coordinates are kept.
    #[inline]
    pub fn tile(&self, worker: Option<usize>, start: Stamp, name: Name, coordinates: &[i64]) {
        self.record(worker, start, Kind::Tile, name.0, coordinates);
    }

    /// `worker` looked for work of others since `start`, and got some of `victim`'s.
    #[inline]
    pub fn steal(&self, worker: usize, start: Stamp, victim: usize) {
        self.record(Some(worker), start, Kind::Steal, victim as u32, &[]);
    }

    /// `worker` slept since `start`.
    #[inline]
    pub fn sleep(&self, worker: usize, start: Stamp) {
        self.record(Some(worker), start, Kind::Sleep, 0, &[]);
    }

    /// A datum of so many bytes was published by a worker, or by a thread that is none.
    #[inline]
    pub fn publish(&self, worker: Option<usize>, datum: u64, bytes: usize) {
        self.record(worker, self.begin(), Kind::Publish, 0, &[datum.cast_signed(), bytes as i64]);
    }

    /// The bytes of a datum were copied since `start` for one that carries it on.
    #[inline]
    pub fn copy(&self, worker: Option<usize>, start: Stamp, datum: u64, bytes: usize) {
        self.record(worker, start, Kind::Copy, 0, &[datum.cast_signed(), bytes as i64]);
    }

    #[inline]
    fn record(&self, worker: Option<usize>, start: Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
        if let Some(session) = &self.0 {
            session.record(worker.unwrap_or(session.rows.len() - 1), start, kind, subject, coordinates);
        }
    }

    /// A task was scheduled: its processing, and its data, each with whether the task produces it.
    #[inline]
    pub fn scheduled(&self, description: &str, data: impl Iterator<Item = (u64, bool)>) {
        if let Some((_, drawing)) = self.0.as_ref().and_then(|session| session.drawing.as_ref()) {
            drawing.lock().task(description, data);
        }
    }

    /// A graph of `volume` points is about to run. `tiles` tells its tiles and edges; it is not called when they are too
    /// many to draw.
    pub fn graph(&self, name: &str, volume: u64, tiles: impl FnOnce(&mut Tiles)) {
        if let Some((_, drawing)) = self.0.as_ref().and_then(|session| session.drawing.as_ref()) {
            let begun = drawing.lock().begin_graph(name, volume);
            // The program's functions are called without the lock.
            if let Some(mut begun) = begun {
                tiles(&mut begun);
                drawing.lock().end_graph(begun);
            }
        }
    }

    /// Writes the files and prints the table, once: further calls, and calls when off, do nothing. For when no worker
    /// runs any more; what is recorded later is lost.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` when a file cannot be written (a full disk). It is then lost, and nothing else:
    /// finalize goes on, and returns this error when it has no other to return.
    pub fn finish(&self) -> Result<(), Error> {
        let Some(session) = &self.0 else { return Ok(()) };
        let written = session.write(Moment::End);
        if session.summary {
            // Nobody is to be told when this cannot be printed.
            let _ = std::io::stderr().lock().write_all(summary::table(session).as_bytes());
        }
        written
    }

    /// Whether a file is to be written.
    pub fn has_files(&self) -> bool {
        self.0.as_ref().is_some_and(|session| session.timeline.is_some() || session.drawing.is_some())
    }

    /// Writes what there is so far, while workers run: the program may end, or be ended, before [`Trace::finish`]. A file is
    /// written anew by each further call; what cannot be written twice (a pipe) waits for the `Death` of the process.
    ///
    /// # Errors
    /// As for [`Trace::finish`].
    pub fn save(&self, moment: Moment) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |session| session.write(moment))
    }
}

/// When a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// In between: the run goes on.
    Meanwhile,
    /// The process is about to end, but may not.
    Death,
    /// At the end of the run: nothing is written any more.
    End,
}

impl Session {
    fn write(&self, moment: Moment) -> Result<(), Error> {
        let timeline =
            self.timeline.as_ref().map_or(Ok(()), |output| output.write(moment, |out| chrome::write(out, self)));
        let drawing = self
            .drawing
            .as_ref()
            .map_or(Ok(()), |(output, drawing)| output.write(moment, |out| drawing.lock().write(out)));
        timeline.and(drawing)
    }

    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn task(&self, worker: usize, start: Stamp, description: &'static str) {
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
    fn known(&self, book: &mut Book, address: usize, description: &str) -> u32 {
        let name = || self.names.lock().intern(description).0;
        *book.known.entry(address).or_insert_with(name)
    }

    fn record(&self, row: usize, start: Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
        let now = self.now();
        self.enter(&mut self.rows[row].book.lock(), now, start, kind, subject, coordinates);
    }

    fn enter(&self, book: &mut Book, now: u64, Stamp(start): Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
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
    fn intern(&mut self, text: &str) -> Name {
        if let Some(&number) = self.numbers.get(text) {
            return Name(number);
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        Name(number)
    }
}

impl Output {
    fn open(variable: &'static str, what: &'static str, path: &Path) -> Result<Output, Error> {
        let output = Output { variable, what, path: path.to_owned(), file: Mutex::new(None) };
        let file = File::create(path).map_err(|why| output.unwritable(&why))?;
        *output.file.lock() = Some(file);
        Ok(output)
    }

    /// Has the file written, unless that was done at the end. The lock is held meanwhile: who comes second comes after.
    fn write(
        &self,
        moment: Moment,
        write: impl FnOnce(&mut BufWriter<&File>) -> std::io::Result<()>,
    ) -> Result<(), Error> {
        let mut kept = self.file.lock();
        let Some(mut file) = kept.as_ref() else { return Ok(()) };
        let again = file.metadata().is_ok_and(|about| about.is_file());
        if !again && moment == Moment::Meanwhile {
            return Ok(());
        }
        let anew = if again { file.rewind().and_then(|()| file.set_len(0)) } else { Ok(()) };
        let mut out = BufWriter::new(file);
        let written = anew.and_then(|()| write(&mut out)).and_then(|()| out.flush());
        drop(out);
        if !again || moment == Moment::End {
            *kept = None;
        }
        written.map_err(|why| self.unwritable(&why))
    }

    fn unwritable(&self, why: &std::io::Error) -> Error {
        let message = format!(
            "cannot write the {} to \"{}\": {why}: set the environment variable {} to a file that can be written",
            self.what,
            self.path.display(),
            self.variable
        );
        Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, message)
    }
}

#[cfg(test)]
mod tests;
