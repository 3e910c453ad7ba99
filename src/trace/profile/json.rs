//! The data of the report as JSON: `format` and `version` say what they are; times are in nanoseconds since the trace
//! began. Texts have no `<`, so that a page can hold them.

use std::fmt::Display;
use std::io::{Result, Write};

use super::advice::Advice;
use super::job::{self, JobPath};
use super::record::RunRecord;
use crate::trace::chains::{DatumOfTask, EventArrow};
use crate::trace::chrome::Json;
use crate::trace::line::Line;
use crate::trace::noted::{MovedBytes, NotedRedistributions};
use crate::trace::ring::{Event, Kind};
use crate::trace::summary::ProcessSummary;
use crate::trace::tally::{Sum, Tally};

/// Changes when a reader of the former data would misread these.
const VERSION: u32 = 1;

/// The whole text, with a part for each process; of several also the critical path over all of them.
pub(super) fn frame(out: &mut impl Write, parts: &[&[u8]]) -> Result<()> {
    write!(out, "{{\"format\":\"dvm-report\",\"version\":{VERSION}")?;
    if let Some(JobPath { work, span, events }) = job::critical_path(parts) {
        write!(out, ",\"critical_path\":{{\"work_ns\":{work},\"span_ns\":{span},\"events\":")?;
        list(out, events.iter().map(|(part, (line, place))| format!("{part},{line},{place}")))?;
        write!(out, "}}")?;
    }
    write!(out, ",\"processes\":[")?;
    for (place, part) in parts.iter().enumerate() {
        out.write_all(if place > 0 { b",\n" } else { b"\n" })?;
        out.write_all(part)?;
    }
    writeln!(out, "]}}")
}

/// The part of one process.
pub(super) fn write(out: &mut impl Write, record: &RunRecord, sentences: &[Advice]) -> Result<()> {
    let ProcessSummary { process, elapsed, peak, left, .. } = &record.summary;
    write!(out, "{{\"process\":{process},\"begin_ns\":{},\"elapsed_ns\":{elapsed}", record.begin)?;
    write!(out, ",\"peak_bytes\":{peak},\"dropped\":{},\"names\":", record.dropped())?;
    list(out, record.summary.names.iter().map(|name| Json(name)))?;
    write!(out, ",\n\"advice\":")?;
    let advice = |advice: &Advice| format!("{{\"rule\":\"{}\",\"text\":{}}}", advice.rule, Json(&advice.text));
    list(out, sentences.iter().map(advice))?;
    write!(out, ",\n\"kinds\":")?;
    list(
        out,
        record.kinds.iter().map(|kind| {
            // Of tiles it is only known how much they touch.
            let or_null = |bytes: Option<u64>| bytes.map_or_else(|| "null".to_owned(), |bytes| bytes.to_string());
            let bytes = |bytes: u64| or_null((!kind.tiles).then_some(bytes));
            format!(
                "{{\"what\":\"{}\",\"name\":{},{},\"read_bytes\":{},\"written_bytes\":{},\"touched_bytes\":{},\"stolen\":{}}}",
                if kind.tiles { "tile" } else { "task" },
                kind.name,
                sum(kind.time),
                bytes(kind.read),
                bytes(kind.written),
                or_null(kind.touched),
                kind.stolen
            )
        }),
    )?;
    let all = |part: fn(&Tally) -> Sum| {
        let mut all = Sum::default();
        record.summary.rows.iter().for_each(|(_, tally)| all.merge(part(tally)));
        all
    };
    let (published, copied) = (all(|tally| tally.published), all(|tally| tally.copied));
    write!(out, ",\n\"data\":{{\"published\":{},\"published_bytes\":{}", published.count, published.total)?;
    write!(out, ",\"copied\":{},\"copied_bytes\":{}", copied.count, copied.total)?;
    write!(out, ",\"never_relaxed\":{},\"never_relaxed_bytes\":{}}}", left.0, left.1)?;
    let NotedRedistributions { list: moved, left_out } = &record.redistributions;
    write!(out, ",\n\"redistributions\":{{\"left_out\":{left_out},\"list\":")?;
    let pair = |(source, target, bytes): &(u32, u32, u64)| format!("{source},{target},{bytes}");
    list(
        out,
        moved.iter().map(|MovedBytes { sources, targets, pairs, rounds }| {
            let pairs: Vec<String> = pairs.iter().map(pair).collect();
            format!(
                "{{\"sources\":{sources},\"targets\":{targets},\"rounds\":{rounds},\"bytes\":[{}]}}",
                pairs.join(",")
            )
        }),
    )?;
    write!(out, "}}")?;
    let chains = &record.chains;
    write!(out, ",\n\"critical_path\":{{\"work_ns\":{},\"span_ns\":{}", chains.work, chains.span)?;
    write!(out, ",\"graphs_without_edges\":{},\"events\":", record.unknown_graphs)?;
    list(out, chains.path.iter().map(|(line, place)| format!("{line},{place}")))?;
    let (occupancy, uses) = (&record.occupancy, &record.occupancy.uses);
    write!(out, "}},\n\"occupancy\":{{\"span_ns\":{}", occupancy.span)?;
    let parts = [("busy", &uses.busy), ("asleep", &uses.asleep), ("between", &uses.between), ("nobody", &uses.nobody)];
    for (name, times) in parts {
        write!(out, ",\"{name}_ns\":")?;
        list(out, times.iter())?;
    }
    write!(out, ",\"ns_by_busy_workers\":")?;
    list(out, occupancy.by_count.iter())?;
    write!(out, "}},\n\"memory\":")?;
    list(out, record.memory.iter().map(|(time, bytes)| format!("{time},{bytes}")))?;
    write!(out, ",\n\"lines\":[")?;
    for (number, (events, (title, tally))) in record.lines.iter().zip(&record.summary.rows).enumerate() {
        writeln!(out, "{}", if number > 0 { "," } else { "" })?;
        line(out, events, title, tally, record.busy_of(number))?;
    }
    write!(out, "],\n\"arrows\":")?;
    list(out, chains.arrows.iter().map(arrow))?;
    if let Some((made, read)) = &record.data_of_tasks {
        let datum = |((line, place), (home, number)): &DatumOfTask| format!("{line},{place},{home},{number}");
        for (name, data) in [("made", made), ("read", read)] {
            write!(out, ",\n\"{name}\":")?;
            list(out, data.iter().map(datum))?;
        }
        write!(out, ",\n\"barriers\":")?;
        list(out, chains.barriers.iter().map(arrow))?;
    }
    write!(out, "}}")
}

fn arrow((from, to): &EventArrow) -> String {
    format!("{},{},{},{}", from.0, from.1, to.0, to.1)
}

fn list(out: &mut impl Write, items: impl Iterator<Item = impl Display>) -> Result<()> {
    write!(out, "[")?;
    for (place, item) in items.enumerate() {
        write!(out, "{}{item}", if place > 0 { "," } else { "" })?;
    }
    write!(out, "]")
}

fn sum(sum: Sum) -> String {
    format!("\"count\":{},\"total_ns\":{},\"longest_ns\":{}", sum.count, sum.total, sum.most)
}

/// A line; its events are columns: `kind` is a text of one letter each, `more` has the number of a tile's coordinates, the
/// bytes of a publication or copy, or the worker whose work was taken. `coordinates` has those of all tiles one after another.
fn line(out: &mut impl Write, of: &Line, title: &str, tally: &Tally, busy: u64) -> Result<()> {
    let count = |sums: &std::collections::BTreeMap<u32, Sum>| sums.values().map(|sum| sum.count).sum::<u64>();
    write!(out, "{{\"title\":{},\"worker\":{}", Json(title), of.worker)?;
    write!(out, ",\"tasks\":{},\"tiles\":{}", count(&tally.tasks), count(&tally.tiles))?;
    write!(out, ",\"busy_ns\":{},\"asleep_ns\":{}", busy, tally.asleep.total)?;
    write!(out, ",\"steals\":{},\"dropped\":{},\"kind\":\"", tally.steals, of.dropped)?;
    for event in &of.events {
        write!(out, "{}", letter(event.kind))?;
    }
    write!(out, "\",\"name\":")?;
    list(out, of.events.iter().map(|event| event.subject))?;
    write!(out, ",\"start\":")?;
    list(out, of.events.iter().map(|event| event.start))?;
    write!(out, ",\"duration\":")?;
    list(out, of.events.iter().map(|event| event.duration))?;
    write!(out, ",\"more\":")?;
    list(out, of.events.iter().map(more))?;
    write!(out, ",\"coordinates\":")?;
    list(out, of.events.iter().filter(|event| event.kind == Kind::Tile).flat_map(Event::tile))?;
    write!(out, "}}")
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Task => 't',
        Kind::Tile => 'i',
        Kind::Steal => 's',
        Kind::Sleep => 'z',
        Kind::Publish => 'p',
        Kind::Copy => 'c',
        Kind::Argument | Kind::Message(_) => 'm',
    }
}

fn more(event: &Event) -> u64 {
    match event.kind {
        Kind::Tile => event.kept.into(),
        Kind::Publish | Kind::Copy => event.coordinates[1].cast_unsigned(),
        Kind::Steal => u64::from(event.subject),
        Kind::Task | Kind::Sleep | Kind::Argument | Kind::Message(_) => 0,
    }
}
