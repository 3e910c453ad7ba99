//! The report of a run (`DVM_PROFILE`): one file of HTML that needs no network, or the same data as JSON.
//!
//! - `record`: what the books have, in nanoseconds; `occupancy`: how many workers were busy when; `advice`: sentences that follow from these
//! - `job`: the critical path over all processes; `json`: the data; `page`: what shows them, in HTML, CSS and JavaScript

mod advice;
mod job;
mod json;
mod occupancy;
mod record;

use std::io::Write;

use super::noted::{Format, Noted};
use super::output::Moment;
use super::session::Session;
use crate::error::Error;

/// The page. The marks `style`, `data` and `script` are replaced.
const PAGE: &str = include_str!("page/report.html");
const STYLE: &str = include_str!("page/report.css");
const SCRIPTS: [&str; 5] = [
    include_str!("page/model.js"),
    include_str!("page/timeline.js"),
    include_str!("page/charts.js"),
    include_str!("page/redistributions.js"),
    include_str!("page/report.js"),
];

/// What this process has for the report, as JSON.
pub(super) fn part(session: &Session, noted: &Noted) -> std::io::Result<Vec<u8>> {
    session.memory.take(session.now());
    let record =
        record::RunRecord::of(session, noted).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    let mut text = Vec::new();
    json::write(&mut text, &record, &advice::of(&record))?;
    Ok(text)
}

/// Writes the whole file: this process, and the parts of others.
pub(super) fn write(session: &Session, noted: &Noted, moment: Moment, others: &[Vec<u8>]) -> Result<(), Error> {
    noted.output.write(moment, |out| {
        let own = part(session, noted)?;
        let parts: Vec<&[u8]> = std::iter::once(&own).chain(others).map(Vec::as_slice).collect();
        match noted.format {
            Format::Json => json::frame(out, &parts),
            Format::Html => page(out, |out| json::frame(out, &parts)),
        }
    })
}

/// The page around the data. Data have no `<`, so that no name can end the element.
fn page<W: Write>(out: &mut W, data: impl FnOnce(&mut W) -> std::io::Result<()>) -> std::io::Result<()> {
    let (before, after) = PAGE.split_once("<!--data-->").unwrap_or((PAGE, ""));
    let (head, body) = before.split_once("<!--style-->").unwrap_or((before, ""));
    let (tail, end) = after.split_once("<!--script-->").unwrap_or((after, ""));
    write!(out, "{head}{STYLE}{body}")?;
    data(out)?;
    write!(out, "{tail}")?;
    SCRIPTS.iter().try_for_each(|script| out.write_all(script.as_bytes()))?;
    write!(out, "{end}")
}

#[cfg(test)]
mod tests;
