//! What a run did: a timeline (`DVM_TRACE`), a table at its end (`DVM_SUMMARY`), a drawing of its tasks (`DVM_DOT`),
//! and a report (`DVM_PROFILE`).
//!
//! Each worker has a book of its own: a ring of fixed-size events, up to `DVM_TRACE_EVENTS`, of which the earliest are
//! overwritten when it is full, and sums. One more book is for the threads that are no workers. [`Trace::finish`] writes
//! the files and prints the table. When nothing is asked for, each call is one branch: no clock is read and nothing is stored.
//!
//! - `clock`: what time is read from
//! - `ring`: events; `coordinates`: of tiles, in events; `chrome`: the timeline's file
//! - `tally`: sums; `summary`: the table
//! - `dot`: the graph of tasks
//! - `line`, `chains`: who reads what, for the timeline's arrows and the report; `counters`: what the timeline counts over time;
//!   `memory_samples`: the memory over time
//! - `profile`: the report, and `noted`: what it needs besides events
//! - `session`: the books; `output`: files
//! - `merge`: one file, one table and one report of several processes; `arrow`: messages between these; `alignment`: their clocks;
//!   `traffic`: how much went between them

mod alignment;
mod arrow;
mod chains;
mod chrome;
mod clock;
mod coordinates;
mod counters;
mod dot;
mod line;
mod memory_samples;
mod merge;
mod noted;
mod output;
mod profile;
mod ring;
mod session;
mod summary;
mod tally;
mod traffic;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::sync::lock::Mutex;

use crate::config::Config;
use crate::error::Error;

pub(crate) use dot::Tiles;
pub(crate) use merge::{Wishes, pieces};
pub(crate) use output::Moment;
pub(crate) use ring::MessageKind;
pub(crate) use session::{About, JobClock, Name, Stamp};
pub(crate) use traffic::{SentTraffic, Traffic};

use clock::Clock;
use dot::Drawing;
use memory_samples::Memory;
use noted::Noted;
use output::Output;
use ring::{Kind, Ring};
use session::{Book, Row, Session};
use tally::Tally;

/// A trace, on or off. Clones write to the same trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(Option<Arc<Session>>);

impl Trace {
    /// A trace that records nothing.
    pub fn off() -> Trace {
        Trace(None)
    }

    /// Opens what `config` asks for; off when it asks for nothing. `titles`: one for each worker. `part`: the process's
    /// place in a job. All but process 0 write files only for want of process 0, beside its own.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` when a file cannot be opened for writing.
    pub fn start(
        config: &Config,
        titles: impl IntoIterator<Item = String>,
        job: Option<JobClock>,
    ) -> Result<Trace, Error> {
        let nothing = config.trace().is_none() && config.dot().is_none() && config.profile().is_none();
        if nothing && !config.summary() {
            return Ok(Trace::off());
        }
        // Processes of one launcher that are in no job have the same environment: each writes a file of its own.
        let process = job.map_or(config.rank(), |job| job.process);
        let open = |variable, what, path: &Path| match process {
            0 => Output::open(variable, what, path),
            other => Ok(Output::beside(variable, what, path, other)),
        };
        let timeline = config.trace().map(|path| open("DVM_TRACE", "trace", path)).transpose()?;
        let drawing = config.dot().map(|path| open("DVM_DOT", "drawing", path)).transpose()?;
        let drawing = drawing.map(|output| (output, Mutex::new(Drawing::new(config.dot_nodes()))));
        let profile = config.profile().map(|path| Noted::open(path, process)).transpose()?;
        let events = if timeline.is_some() || profile.is_some() { config.trace_events() } else { 0 };
        let row = |title| -> Result<Row, Error> {
            let ring = Ring::new(events)?;
            let book = Book { ring, tally: Tally::default(), known: HashMap::default(), last: (0, 0) };
            Ok(Row { title, book: Mutex::new(book) })
        };
        let title = |title: String| job.map_or(title.clone(), |job| format!("process {}, {title}", job.process));
        let messages = job.map(|_| "messages".to_owned());
        let titles = titles.into_iter().chain(["other threads".to_owned()]).chain(messages).map(title);
        let rows: Vec<Row> = titles.map(row).collect::<Result<_, _>>()?;
        let others = rows.len() - 1 - usize::from(job.is_some());
        Ok(Trace(Some(Arc::new(Session {
            clock: Clock::new(),
            timeline,
            summary: config.summary(),
            drawing,
            profile,
            rows,
            others,
            job,
            alignment: Mutex::default(),
            collected: Mutex::default(),
            names: Mutex::default(),
            memory: Memory::new(),
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

    /// `worker` ran a tile of the graph `name` since `start`; `None`: a thread that is no worker. Of more than
    /// four coordinates those that fit into an event are kept, see `coordinates`.
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

    /// A worker, or another thread under the lock of messages, did something with a message since `start`.
    #[inline]
    pub fn message(&self, worker: Option<usize>, start: Stamp, kind: MessageKind, about: &About<'_>) {
        if let Some(session) = &self.0 {
            session.message(worker, start, kind, about);
        }
    }

    /// Whether arguments of tasks are noted.
    pub fn wants_arguments(&self) -> bool {
        self.0.as_ref().is_some_and(|session| session.profile.is_some() || session.timeline.is_some())
    }

    /// The arguments of the task that `worker` began at `start` and that was noted: home, number and bytes of each datum, and
    /// whether the task produces it.
    pub fn arguments(&self, worker: usize, start: Stamp, all: impl Iterator<Item = ([u64; 2], usize, bool)>) {
        if let Some(session) = &self.0 {
            session.arguments(worker, start, all);
        }
    }

    /// Whether it is noted how regions ran.
    #[inline]
    pub fn wants_regions(&self) -> bool {
        self.0.as_ref().is_some_and(|session| session.profile.is_some())
    }

    /// Tiles of region `name` that begin from now on touch so many bytes each.
    pub fn tile_bytes(&self, name: &str, bytes: u64) {
        let Some(session) = &self.0 else { return };
        if let Some(profile) = &session.profile {
            profile.tile_bytes.note(self.name(name).0, bytes, session.now());
        }
    }

    /// An entry into region `name` has no tiles, or one.
    pub fn plain_entry(&self, name: &str) {
        let Some(session) = &self.0 else { return };
        if let Some(profile) = &session.profile {
            profile.plain_entries.note(self.name(name).0);
        }
    }

    /// A round of a redistribution begins: the numbers of source and target memories, and what each pair of them moves, in
    /// bytes; ascending. `pairs` is called only if that is noted.
    #[inline]
    pub fn redistribution<Pairs>(&self, memories: (usize, usize), pairs: impl FnOnce() -> Pairs)
    where
        Pairs: ExactSizeIterator<Item = (u32, u32, u64)> + Clone,
    {
        if let Some(profile) = self.0.as_ref().and_then(|session| session.profile.as_ref()) {
            profile.redistributions.note(memories, pairs());
        }
    }

    /// At the end so many data of so many bytes were left that nobody had relaxed.
    pub fn left(&self, data: usize, bytes: u64) {
        if let Some(session) = &self.0 {
            session.collected.lock().left = (data as u64, bytes);
        }
    }

    #[inline]
    fn record(&self, worker: Option<usize>, start: Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
        if let Some(session) = &self.0 {
            session.record(worker.unwrap_or(session.others), start, kind, subject, coordinates);
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
    pub fn graph(&self, name: &str, volume: u64, tiles: impl Fn(&mut Tiles)) {
        let Some(session) = &self.0 else { return };
        // The program's functions are called without a lock.
        if let Some((_, drawing)) = &session.drawing {
            let begun = drawing.lock().begin_graph(name, volume);
            if let Some(mut begun) = begun {
                tiles(&mut begun);
                drawing.lock().end_graph(begun);
            }
        }
        if let Some(profile) = &session.profile {
            profile.graphs.note(name, volume, tiles, || session.now());
        }
    }

    /// A graph that several processes run is about to run: which of its tiles waits for which is not noted.
    pub fn shared_graph(&self, name: &str) {
        let Some(session) = &self.0 else { return };
        if let Some(profile) = &session.profile {
            profile.graphs.note(name, u64::MAX, |_| {}, || session.now());
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
        let written = write(session, Moment::End);
        let (failure, told) = {
            let mut collected = session.collected.lock();
            (collected.failure.take(), collected.summary)
        };
        let written = failure.map_or(Ok(()), Err).and(written);
        if session.summary && !told {
            // Nobody is to be told when this cannot be printed.
            let _ = std::io::stderr().lock().write_all(summary::table(session).as_bytes());
        }
        written
    }

    /// Whether a file is to be written.
    pub fn has_files(&self) -> bool {
        self.0
            .as_ref()
            .is_some_and(|session| session.timeline.is_some() || session.drawing.is_some() || session.profile.is_some())
    }

    /// Writes what there is so far, while workers run: the program may end, or be ended, before [`Trace::finish`]. A file is
    /// written anew by each further call; what cannot be written twice (a pipe) waits for the `Death` of the process.
    ///
    /// # Errors
    /// As for [`Trace::finish`].
    pub fn save(&self, moment: Moment) -> Result<(), Error> {
        self.0.as_ref().map_or(Ok(()), |session| write(session, moment))
    }
}

/// Writes the files that a session has.
fn write(session: &Session, moment: Moment) -> Result<(), Error> {
    let timeline =
        session.timeline.as_ref().map_or(Ok(()), |output| output.write(moment, |out| chrome::write(out, session)));
    let drawing = session
        .drawing
        .as_ref()
        .map_or(Ok(()), |(output, drawing)| output.write(moment, |out| drawing.lock().write(out)));
    let profile = session.profile.as_ref().map_or(Ok(()), |noted| profile::write(session, noted, moment, &[]));
    timeline.and(drawing).and(profile)
}

#[cfg(test)]
mod tests;
