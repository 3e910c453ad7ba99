//! The Chrome trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//!
//! One row for each worker and one for all other threads, if they did anything; one complete event (`"ph":"X"`) for each
//! event kept, a mark (`"ph":"i"`) for each publication, times in microseconds. A row whose ring
//! was full begins with a mark that says how many events are missing, and `otherData.dropped` is their sum.

use std::fmt;
use std::io::{Result, Write};

use super::ring::{Event, Kind};
use super::session::Session;

/// Writes the whole file.
pub(super) fn write(out: &mut impl Write, session: &Session) -> Result<()> {
    let dropped: u64 = session.rows.iter().map(|row| row.book.lock().ring.dropped()).sum();
    let pid = std::process::id();
    writeln!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"dropped\":{dropped}}},\"traceEvents\":[")?;
    write!(out, "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"args\":{{\"name\":\"libdvm\"}}}}")?;
    let rate = session.clock.rate();
    let nanoseconds = |units: u64| (units as f64 * rate) as u64;
    for (worker, row) in session.rows.iter().enumerate() {
        if worker + 1 == session.rows.len() && row.book.lock().ring.is_empty() {
            break;
        }
        let place = format!("\"pid\":{pid},\"tid\":{worker}");
        let title = Json(&row.title);
        write!(out, ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",{place},\"args\":{{\"name\":{title}}}}}")?;
        write!(out, ",\n{{\"ph\":\"M\",\"name\":\"thread_sort_index\",{place},\"args\":{{\"sort_index\":{worker}}}}}")?;
        let (mut events, dropped) = {
            let book = row.book.lock();
            (
                book.ring.in_order().map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?,
                book.ring.dropped(),
            )
        };
        for event in &mut events {
            // The end is rounded as starts are, so that what lay inside of something still does.
            let end = nanoseconds(event.start + event.duration);
            event.start = nanoseconds(event.start);
            event.duration = end - event.start;
        }
        if dropped > 0 {
            let at = Microseconds(events.first().map_or(0, |event| event.start));
            write!(
                out,
                ",\n{{\"ph\":\"i\",\"s\":\"t\",\"name\":\"{dropped} earlier events were dropped\",{place},\"ts\":{at}}}"
            )?;
        }
        // Whoever enters an event has its row and then the names: never the other way round. Names of events are there.
        let names = if events.is_empty() { Vec::new() } else { session.names.lock().texts.clone() };
        for event in &events {
            write_event(out, event, &names, &place)?;
        }
    }
    writeln!(out, "\n]}}")
}

fn write_event(out: &mut impl Write, event: &Event, names: &[String], place: &str) -> Result<()> {
    let (start, duration) = (Microseconds(event.start), Microseconds(event.duration));
    let (category, name) = match event.kind {
        Kind::Task => ("task", names[event.subject as usize].as_str()),
        Kind::Tile => ("tile", names[event.subject as usize].as_str()),
        Kind::Steal => ("steal", "steal"),
        Kind::Sleep => ("sleep", "sleep"),
        Kind::Publish => ("data", "publish"),
        Kind::Copy => ("data", "copy"),
    };
    let name = Json(name);
    if event.kind == Kind::Publish {
        write!(out, ",\n{{\"ph\":\"i\",\"s\":\"t\"")?;
    } else {
        write!(out, ",\n{{\"ph\":\"X\",\"dur\":{duration}")?;
    }
    write!(out, ",\"cat\":\"{category}\",\"name\":{name},{place},\"ts\":{start}")?;
    match event.kind {
        Kind::Task | Kind::Sleep => {}
        Kind::Steal => write!(out, ",\"args\":{{\"from\":{}}}", event.subject)?,
        Kind::Publish | Kind::Copy => {
            let [datum, bytes, ..] = event.coordinates.map(i64::cast_unsigned);
            write!(out, ",\"args\":{{\"datum\":\"{{0, {datum}}}\",\"bytes\":{bytes}}}")?;
        }
        Kind::Tile => {
            let kept = event.coordinates.iter().take(usize::from(event.dimension));
            let tile = kept.map(i64::to_string).collect::<Vec<_>>().join(",");
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

/// A JSON string.
struct Json<'a>(&'a str);

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c < ' ' => write!(f, "\\u{:04x}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
