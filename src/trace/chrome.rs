//! The Chrome trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//!
//! One row for each worker and one for all other threads, if they did anything; one complete event (`"ph":"X"`) for each
//! event kept, a mark (`"ph":"i"`) for each publication of a worker, times in microseconds. A row whose ring
//! was full begins with a mark that says how many events are missing, and `otherData.dropped` is their sum.
//!
//! Arrows (`"ph":"s"`, `"f"`) lead from a task, or a publication outside of tasks, to the readers of the data. Counters (`"ph":"C"`) have the busy workers and the
//! memory over time.
//!
//! In a job each process is a process of the file; messages between them are complete events, and arrows
//! (`"ph":"s"`, `"t"`, `"f"`) lead from one to the next.
//!
//! Viewers show a row as a process's main thread if its `tid` is the `pid`, and one with `tid` 0 as idle: a process has its index
//! and 1 as `pid`, and its rows begin at 10,000 times that.

use std::fmt;
use std::io::{Result, Write};

use super::arrow::{ArrowKind, ArrowPoint, Point};
use super::chains;
use super::counters;
use super::line::{Line, lines};
use super::ring::{Event, Kind, MessageKind};
use super::session::{Row, Session, Times};

/// Writes the whole file of one process.
pub(super) fn write(out: &mut impl Write, session: &Session) -> Result<()> {
    begin(out)?;
    let mut dropped = 0;
    title(out, session, "")?;
    let times = session.times();
    for number in 0..session.rows.len() {
        dropped += row(out, session, &times, number, &mut Vec::new())?;
    }
    overview(out, session, &times)?;
    end(out, dropped)
}

/// Begins a file: titles follow, and entries, each behind a comma.
pub(super) fn begin(out: &mut impl Write) -> Result<()> {
    writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")
}

/// Ends a file, of whose events so many are missing.
pub(super) fn end(out: &mut impl Write, dropped: u64) -> Result<()> {
    writeln!(out, "\n],\"otherData\":{{\"dropped\":{dropped}}}}}")
}

/// No process has more rows.
const MOST_ROWS: u64 = 10_000;

/// The index of the process in its job.
fn index_of(session: &Session) -> u32 {
    session.job.map_or(0, |job| job.process)
}

/// The number by which the file knows a process.
fn pid(process: u32) -> u64 {
    u64::from(process) + 1
}

/// The row of a process, as the file names it.
struct Place {
    process: u32,
    row: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pid = pid(self.process);
        write!(f, "\"pid\":{pid},\"tid\":{}", pid * MOST_ROWS + u64::from(self.row))
    }
}

/// Writes what the process is called, behind `lead`: a comma, unless nothing stands before.
pub(super) fn title(out: &mut impl Write, session: &Session, lead: &str) -> Result<()> {
    let (process, pid) = (index_of(session), pid(index_of(session)));
    let place = |name: &str| format!("{{\"ph\":\"M\",\"name\":\"{name}\",\"pid\":{pid},\"args\":");
    let name = session.job.map_or_else(|| "libdvm".to_owned(), |_| format!("process {process}"));
    write!(out, "{lead}{}{{\"name\":\"{name}\"}}}}", place("process_name"))?;
    write!(out, ",\n{}{{\"labels\":\"pid {}\"}}}}", place("process_labels"), std::process::id())?;
    write!(out, ",\n{}{{\"sort_index\":{process}}}}}", place("process_sort_index"))
}

/// Writes the process's arrows from tasks to readers of their data, and its counters. For the end of its entries: an arrow
/// is bound to events before it. Without memory to find them there are none.
pub(super) fn overview(out: &mut impl Write, session: &Session, times: &Times) -> Result<()> {
    let Ok(lines) = lines(session, |units| times.nanoseconds(units)) else { return Ok(()) };
    let process = index_of(session);
    for (number, ((from_row, from), (to_row, to))) in chains::readers(&lines, process.into()).into_iter().enumerate() {
        let (writer, reader) = (event_at(&lines, from_row, from), event_at(&lines, to_row, to));
        // What the writer publishes before its end may be read before.
        let left = (writer.start + writer.duration.saturating_sub(1)).min(reader.start);
        let ends = [("s", from_row, left, ""), ("f", to_row, reader.start, "\"bp\":\"e\",")];
        for (phase, row, time, binding) in ends {
            let (place, at, id) = (Place { process, row }, Microseconds(time), pid(process) << 40 | number as u64);
            write!(
                out,
                ",\n{{\"ph\":\"{phase}\",{binding}\"cat\":\"flow\",\"name\":\"datum\",\"id\":\"{id:#x}\",{place},\"ts\":{at}}}"
            )?;
        }
    }
    for (time, count) in counters::busy_workers(&lines) {
        counter(out, process, "busy workers", "workers", time, Thousandths(count))?;
    }
    for (units, bytes) in session.memory.list() {
        counter(out, process, "memory of the process", "bytes", times.nanoseconds(units), bytes)?;
    }
    Ok(())
}

fn event_at(lines: &[Line], row: u32, place: u32) -> &Event {
    &lines[row as usize].events[place as usize]
}

fn counter(
    out: &mut impl Write,
    process: u32,
    name: &str,
    unit: &str,
    time: u64,
    value: impl fmt::Display,
) -> Result<()> {
    let (pid, at) = (pid(process), Microseconds(time));
    write!(out, ",\n{{\"ph\":\"C\",\"name\":\"{name}\",\"pid\":{pid},\"ts\":{at},\"args\":{{\"{unit}\":{value}}}}}")
}

/// Writes a row, and appends the points of its arrows; gives how many of its events are missing. Whoever enters an event
/// has its row and then the names: never the other way round.
pub(super) fn row(
    out: &mut impl Write,
    session: &Session,
    times: &Times,
    number: usize,
    points: &mut Vec<Point>,
) -> Result<u64> {
    let Row { title, book } = &session.rows[number];
    let (events, dropped) = {
        let book = book.lock();
        if number >= session.others && book.ring.is_empty() {
            return Ok(0);
        }
        let events = book.ring.in_order().map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
        (events, book.ring.dropped())
    };
    let home = index_of(session);
    let place = Place { process: home, row: number as u32 }.to_string();
    let title = Json(title);
    write!(out, ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",{place},\"args\":{{\"name\":{title}}}}}")?;
    write!(out, ",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",{place},\"args\":{{\"sort_index\":{number}}}}}")?;
    if dropped > 0 {
        let at = Microseconds(events.first().map_or(0, |event| times.nanoseconds(event.start)));
        write!(
            out,
            ",\n{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"{dropped} earlier events were dropped\",{place},\"ts\":{at}}}"
        )?;
    }
    // Names of events are there.
    let names = if events.is_empty() { Vec::new() } else { session.names.lock().texts.clone() };
    for mut event in events {
        if event.kind == Kind::Argument {
            continue; // the report has them
        }
        // The end is rounded as starts are, so that what lay inside of something still does.
        let end = times.nanoseconds(event.start + event.duration);
        event.start = times.nanoseconds(event.start);
        event.duration = end.saturating_sub(event.start);
        if let Kind::Message(kind) = event.kind {
            points.push(point(&event, kind, (home, number)));
        }
        if event.kind != Kind::Message(MessageKind::BeginTask) {
            write_event(out, &event, &names, (&place, home), number == session.others)?;
        }
    }
    Ok(dropped)
}

/// The point of an arrow where a message is sent, or has led to something.
fn point(event: &Event, kind: MessageKind, (process, row): (u32, usize)) -> Point {
    let (kind, phase) = match kind {
        MessageKind::SendTask => (ArrowKind::Task, ArrowPoint::Begin),
        MessageKind::BeginTask => (ArrowKind::Task, ArrowPoint::End),
        MessageKind::AskBytes => (ArrowKind::Bytes, ArrowPoint::Begin),
        MessageKind::SendBytes => (ArrowKind::Bytes, ArrowPoint::Middle),
        MessageKind::HaveBytes => (ArrowKind::Bytes, ArrowPoint::End),
    };
    let arrow = event.coordinates[0].cast_unsigned();
    Point { kind, arrow, phase, time: event.start, process, row: row as u32 }
}

/// Writes a point of an arrow. It is bound to the event that holds its time, which comes before it in the file.
pub(super) fn write_point(out: &mut impl Write, point: &Point) -> Result<()> {
    let Point { kind, arrow, phase, time, process, row } = *point;
    let name = if kind == ArrowKind::Task { "task" } else { "bytes" };
    let (phase, binding) = match phase {
        ArrowPoint::Begin => ("s", ""),
        ArrowPoint::Middle => ("t", ""),
        ArrowPoint::End => ("f", "\"bp\":\"e\","),
    };
    let (place, at) = (Place { process, row }, Microseconds(time));
    write!(
        out,
        ",\n{{\"ph\":\"{phase}\",{binding}\"cat\":\"message\",\"name\":\"{name}\",\"id\":\"{arrow:#x}\",{place},\"ts\":{at}}}"
    )
}

/// Writes an event of the row `place` of process `home`. `slices`: a publication is a slice, to which arrows are bound; in the
/// rows of workers those are tasks.
fn write_event(
    out: &mut impl Write,
    event: &Event,
    names: &[String],
    (place, home): (&str, u32),
    slices: bool,
) -> Result<()> {
    let (start, duration) = (Microseconds(event.start), Microseconds(event.duration));
    let (category, name) = match event.kind {
        Kind::Task => ("task", names[event.subject as usize].as_str()),
        Kind::Tile => ("tile", names[event.subject as usize].as_str()),
        Kind::Steal => ("steal", "steal"),
        Kind::Sleep => ("sleep", "sleep"),
        Kind::Publish => ("data", "publish"),
        Kind::Copy => ("data", "copy"),
        Kind::Argument => ("data", "argument"),
        Kind::Message(MessageKind::SendTask | MessageKind::BeginTask) => ("message", "send a task"),
        Kind::Message(MessageKind::AskBytes) => ("message", "ask for bytes"),
        Kind::Message(MessageKind::SendBytes) => ("message", "send bytes"),
        Kind::Message(MessageKind::HaveBytes) => ("message", "bytes have come"),
    };
    let name = Json(name);
    if event.kind == Kind::Publish && !slices {
        write!(out, ",\n{{\"ph\":\"i\",\"s\":\"t\"")?;
    } else {
        write!(out, ",\n{{\"ph\":\"X\",\"dur\":{duration}")?;
    }
    write!(out, ",\"cat\":\"{category}\",\"name\":{name},{place},\"ts\":{start}")?;
    match event.kind {
        Kind::Task | Kind::Sleep => {}
        Kind::Steal => write!(out, ",\"args\":{{\"from\":{}}}", event.subject)?,
        Kind::Publish | Kind::Copy | Kind::Argument => {
            let [datum, bytes, ..] = event.coordinates.map(i64::cast_unsigned);
            write!(out, ",\"args\":{{\"datum\":\"{{{home}, {datum}}}\",\"bytes\":{bytes}}}")?;
        }
        Kind::Message(MessageKind::SendTask | MessageKind::BeginTask) => {
            let task = Json(names[event.subject as usize].as_str());
            write!(out, ",\"args\":{{\"task\":{task},\"process\":{}}}", event.dimension)?;
        }
        Kind::Message(_) => {
            let [_, home, number, bytes] = event.coordinates.map(i64::cast_unsigned);
            let process = event.dimension;
            write!(out, ",\"args\":{{\"datum\":\"{{{home}, {number}}}\",\"bytes\":{bytes},\"process\":{process}}}")?;
        }
        Kind::Tile => {
            let tile = event.tile_text();
            write!(out, ",\"args\":{{\"tile\":[{tile}],\"dimension\":{}}}", event.dimension)?;
        }
    }
    out.write_all(b"}")
}

/// Nanoseconds, shown in microseconds without rounding.
struct Microseconds(u64);

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// Thousandths, shown as a number.
struct Thousandths(u64);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// A JSON string, without `<`.
pub(super) struct Json<'a>(pub(super) &'a str);

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c < ' ' || c == '<' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
