//! A timeline of the run: what each worker did when.
//!
//! On with `DVM_TRACE=file`. Each worker has a ring of its own, of fixed-size events, up to `DVM_TRACE_EVENTS`; when it is
//! full the earliest are overwritten, and the file says how many. [`Trace::finish`] writes the file. When there is no
//! trace, each call is one branch: no clock is read and nothing is stored.
//!
//! ```text
//! let name = trace.name("axpy");      // once per processing or graph
//! let start = trace.begin();
//! run();
//! trace.task(worker, start, name);    // records from `start` to now
//! ```

mod chrome;
mod ring;

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::config::Config;
use crate::error::{Error, dvm_retcode_t};

use ring::{Event, Kind, Ring};

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
    start: Instant,
    path: PathBuf,
    /// Taken by the one that writes it.
    file: Mutex<Option<File>>,
    rows: Vec<Row>,
    names: Mutex<Names>,
}

/// A worker's part. Its lock is the worker's own until the trace is written; no two share a cache line.
#[derive(Debug)]
#[repr(align(128))]
struct Row {
    title: String,
    ring: Mutex<Ring>,
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

    /// Opens the trace that `config` asks for; off when it asks for none. `titles`: one for each worker.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` when the file cannot be opened for writing.
    pub fn start(config: &Config, titles: impl IntoIterator<Item = String>) -> Result<Trace, Error> {
        let Some(path) = config.trace() else { return Ok(Trace::off()) };
        let file = File::create(path).map_err(|why| unwritable(path, &why))?;
        let row = |title| Row { title, ring: Mutex::new(Ring::new(config.trace_events())) };
        Ok(Trace(Some(Arc::new(Session {
            start: Instant::now(),
            path: path.clone(),
            file: Mutex::new(Some(file)),
            rows: titles.into_iter().map(row).collect(),
            names: Mutex::default(),
        }))))
    }

    /// Whether anything is recorded.
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

    /// `worker` ran a task of the processing `name` since `start`.
    #[inline]
    pub fn task(&self, worker: usize, start: Stamp, name: Name) {
        self.record(worker, start, Kind::Task, name.0, &[]);
    }

    /// `worker` ran a tile of the graph `name` since `start`. The first [`MAX_COORDINATES`] coordinates are kept.
    #[inline]
    pub fn tile(&self, worker: usize, start: Stamp, name: Name, coordinates: &[i64]) {
        self.record(worker, start, Kind::Tile, name.0, coordinates);
    }

    /// `worker` looked for work of others since `start`, and got some of `victim`'s.
    #[inline]
    pub fn steal(&self, worker: usize, start: Stamp, victim: usize) {
        self.record(worker, start, Kind::Steal, victim as u32, &[]);
    }

    /// `worker` slept since `start`.
    #[inline]
    pub fn sleep(&self, worker: usize, start: Stamp) {
        self.record(worker, start, Kind::Sleep, 0, &[]);
    }

    #[inline]
    fn record(&self, worker: usize, start: Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
        if let Some(session) = &self.0 {
            session.record(worker, start, kind, subject, coordinates);
        }
    }

    /// Writes the file, once: further calls, and calls when off, do nothing. For when no worker runs any more; what is
    /// recorded later is lost.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` when the file cannot be written (a full disk). The trace is then lost, and nothing else:
    /// finalize goes on, and returns this error when it has no other to return.
    pub fn finish(&self) -> Result<(), Error> {
        let Some(session) = &self.0 else { return Ok(()) };
        let Some(file) = session.file.lock().take() else { return Ok(()) };
        let mut out = BufWriter::new(file);
        chrome::write(&mut out, session).and_then(|()| out.flush()).map_err(|why| unwritable(&session.path, &why))
    }
}

impl Session {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    fn record(&self, worker: usize, Stamp(start): Stamp, kind: Kind, subject: u32, coordinates: &[i64]) {
        let duration = self.now() - start;
        let mut kept = [0; MAX_COORDINATES];
        for (kept, coordinate) in kept.iter_mut().zip(coordinates) {
            *kept = *coordinate;
        }
        let event = Event { start, duration, coordinates: kept, subject, dimension: coordinates.len() as u16, kind };
        self.rows[worker].ring.lock().push(event);
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

fn unwritable(path: &std::path::Path, why: &std::io::Error) -> Error {
    let message = format!(
        "cannot write the trace to \"{}\": {why}: set the environment variable DVM_TRACE to a file that can be written",
        path.display()
    );
    Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, message)
}

#[cfg(test)]
mod tests;
