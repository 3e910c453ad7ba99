//! What to try: sentences that follow from the figures of a run. Each rule says which figures it needs.

use super::record::{KindSums, RunRecord};
use crate::trace::ring::Event;

/// A sentence, and the rule that it follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) rule: &'static str,
    pub(super) text: String,
}

/// Shares of a run's time from which on something is told.
const MUCH: f64 = 0.10;
const MOST: f64 = 0.80;

/// Tasks that take less on average, in nanoseconds, are short against what libdvm needs for each.
const SHORT: f64 = 2_000.0;

/// So many runs of a kind tell something about its average.
const MANY: u64 = 1_000;

/// A run that takes so many times the average is a rare one.
const RARE: f64 = 5.0;

type Rule = fn(&RunRecord) -> Option<Advice>;

/// In the order in which they are told.
const RULES: [Rule; 11] = [
    dropped,
    nothing_ran,
    not_tiled,
    few_busy,
    nobody_busy,
    bound_by_chain,
    rare,
    uneven,
    short,
    copies,
    never_relaxed,
];

/// What to try; never empty.
pub(super) fn of(record: &RunRecord) -> Vec<Advice> {
    let mut all: Vec<Advice> = RULES.iter().filter_map(|rule| rule(record)).collect();
    if all.iter().all(|advice| advice.rule == "dropped" || advice.rule == "never_relaxed") {
        all.extend(nothing_stands_out(record));
    }
    all
}

fn advice(rule: &'static str, text: String) -> Advice {
    Advice { rule, text }
}

fn elapsed(record: &RunRecord) -> f64 {
    record.summary.elapsed.max(1) as f64
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.3} ms", nanoseconds as f64 / 1e6)
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// A processing or the tiles of a graph.
fn kind(record: &RunRecord, tiles: bool, name: u32) -> String {
    format!("{} '{}'", if tiles { "tile" } else { "task" }, record.name(name).escape_debug())
}

fn kind_of(record: &RunRecord, event: &Event) -> String {
    kind(record, event.kind == crate::trace::ring::Kind::Tile, event.subject)
}

fn dropped(record: &RunRecord) -> Option<Advice> {
    let dropped = record.dropped();
    let text = format!(
        "{dropped} early events were dropped, and pictures, arrows and the critical path show the rest only (tables have \
         all): raise DVM_TRACE_EVENTS."
    );
    (dropped > 0).then(|| advice("dropped", text))
}

fn nothing_ran(record: &RunRecord) -> Option<Advice> {
    let text = "No worker ran a task or tile: was the program's work given to libdvm at all? dvmcc --why names loops that can \
                be tiled.";
    (record.busy() == 0 && record.plain.is_empty()).then(|| advice("nothing_ran", text.to_owned()))
}

fn not_tiled(record: &RunRecord) -> Option<Advice> {
    let &(name, entries) = record.plain.iter().max_by_key(|&&(_, entries)| entries)?;
    let text = format!(
        "Region '{}', or a part of it, ran without tiles in the program's own thread {entries} times or more: tiles were not \
         faster there, or had not been measured yet. More work in one entry helps, such as the loop around it inside of the \
         region; DVM_VERBOSE=1 tells what was measured, and DVM_TUNE=0 runs tiles without measuring.",
        record.name(name).escape_debug()
    );
    let idle = record.occupancy.by_count[0] as f64 / elapsed(record);
    (idle >= MUCH).then(|| advice("not_tiled", text))
}

fn few_busy(record: &RunRecord) -> Option<Advice> {
    let workers = record.workers();
    let few: u64 = (1..=workers / 2).map(|count| record.occupancy.by_count[count]).sum();
    let share = few as f64 / elapsed(record);
    let (&(tiles, name), &time) = record.occupancy.few.iter().max_by_key(|&(_, &time)| time)?;
    if share < MUCH {
        return None;
    }
    let (of_kind, (place, longest)) = (kind(record, tiles, name), record.occupancy.longest_few?);
    let event = &record.lines[place.0 as usize].events[place.1 as usize];
    let one = format!(
        "; one run of {} alone took {} of that time, from {} on",
        kind_of(record, event),
        milliseconds(longest),
        milliseconds(event.start)
    );
    let one = if longest as f64 >= MUCH * elapsed(record) { one.as_str() } else { "" };
    let text = format!(
        "For {} ({} of the run) at most half of the {workers} workers were busy, most of it with {of_kind} ({}){one}. Split it \
         into smaller tasks, begin it earlier, or give the other workers something that does not wait for it.",
        milliseconds(few),
        percent(share),
        milliseconds(time)
    );
    Some(advice("few_busy", text))
}

fn nobody_busy(record: &RunRecord) -> Option<Advice> {
    let none = record.occupancy.by_count[0];
    let share = none as f64 / elapsed(record);
    // What the program's own thread runs of small regions.
    let others = record.lines.len() - 1;
    let own = record.lines[others].busy(record.summary.rows[others].1.busy(), record.summary.elapsed);
    let remedy = match (own, record.plain.is_empty()) {
        (0, true) => "Make that part a task, or submit before it.".to_owned(),
        (0, false) => "Part of it may be regions without tiles.".to_owned(),
        (own, _) => {
            format!("It ran tiles itself, for {}: regions with few iterations need no worker.", milliseconds(own))
        }
    };
    let text = format!(
        "For {} ({} of the run) no worker ran anything: the program's own thread worked, waited or submitted meanwhile. {remedy}",
        milliseconds(none),
        percent(share)
    );
    (share >= MUCH && record.busy() > 0).then(|| advice("nobody_busy", text))
}

fn bound_by_chain(record: &RunRecord) -> Option<Advice> {
    let (chains, workers) = (&record.chains, record.workers());
    let share = chains.span as f64 / elapsed(record);
    if share < MOST || chains.path.len() < 2 || workers < 2 {
        return None;
    }
    let mut times = std::collections::BTreeMap::new();
    for &(line, place) in &chains.path {
        let event = &record.lines[line as usize].events[place as usize];
        *times.entry(kind_of(record, event)).or_insert(0) += event.duration;
    }
    let (most, time) = times.into_iter().max_by_key(|&(_, time)| time)?;
    let text = format!(
        "The longest chain of {} tasks and tiles that wait for each other takes {}, {} of the run, {} of it in {most}: more \
         workers would not help. Shorten the chain: smaller pieces of that kind, or fewer dependences.",
        chains.path.len(),
        milliseconds(chains.span),
        percent(share),
        milliseconds(time)
    );
    Some(advice("bound_by_chain", text))
}

fn rare(record: &RunRecord) -> Option<Advice> {
    let stands_out = |kind: &&KindSums| {
        let mean = kind.time.total as f64 / kind.time.count.max(1) as f64;
        kind.time.most as f64 >= RARE * mean && kind.time.most as f64 >= MUCH * elapsed(record)
    };
    let found = record.kinds.iter().filter(stands_out).max_by_key(|kind| kind.time.most)?;
    let text = format!(
        "One run of {} took {}, the average of its {} runs {}: its work depends on the data, or something else had its core. \
         The timeline shows where it stands.",
        kind(record, found.tiles, found.name),
        milliseconds(found.time.most),
        found.time.count,
        milliseconds(found.time.total / found.time.count.max(1))
    );
    Some(advice("rare", text))
}

/// Without a chain that only one worker can run at a time.
fn uneven(record: &RunRecord) -> Option<Advice> {
    let workers = record.workers();
    if bound_by_chain(record).is_some() {
        return None;
    }
    let busy = || (0..workers).map(|line| (record.busy_of(line), &record.summary.rows[line].0));
    let (most, least) = (busy().max()?, busy().min()?);
    let mean = record.busy() as f64 / workers as f64;
    if workers < 2 || most.0 as f64 - mean < MUCH * elapsed(record) || most.0 as f64 <= 1.5 * mean {
        return None;
    }
    let remedy = if record.kinds.iter().any(|kind| !kind.tiles) {
        "tasks that are placed (dvm_sched_onto) stay where they are; schedule them near their data instead, or place them evenly."
    } else {
        "there were too few tiles at a time for all of them: smaller tiles (tile(...) or DVM_TILE), or more iterations."
    };
    let text = format!(
        "{} was busy for {}, {} for {}: {remedy}",
        most.1,
        milliseconds(most.0),
        least.1,
        milliseconds(least.0)
    );
    Some(advice("uneven", text))
}

fn short(record: &RunRecord) -> Option<Advice> {
    let mean = |kind: &KindSums| kind.time.total as f64 / kind.time.count.max(1) as f64;
    let is_short = |kind: &&KindSums| kind.time.count >= MANY && mean(kind) < SHORT;
    let found = record.kinds.iter().filter(is_short).max_by_key(|kind| kind.time.count)?;
    let remedy = if found.tiles {
        "larger tiles (tile(...) or DVM_TILE; those of a reduction follow from its iterations)"
    } else {
        "more work in each task"
    };
    let text = format!(
        "The {} runs of {} take {:.2} us on average, little against what it costs to start one: give it {remedy}.",
        found.time.count,
        kind(record, found.tiles, found.name),
        mean(found) / 1e3
    );
    Some(advice("short", text))
}

fn copies(record: &RunRecord) -> Option<Advice> {
    let sum = |part: fn(&crate::trace::tally::Tally) -> u64| -> u64 {
        record.summary.rows.iter().map(|(_, tally)| part(tally)).sum()
    };
    let (published, copied) = (sum(|tally| tally.published.total), sum(|tally| tally.copied.total));
    let text = format!(
        "{copied} bytes were copied for data that carry others on, {published} bytes were published: somebody still held each \
         predecessor when its successor (dvm_data_next) was to take over its memory. Let its readers end first, or relax it."
    );
    (copied as f64 > MUCH * published as f64).then(|| advice("copies", text))
}

fn never_relaxed(record: &RunRecord) -> Option<Advice> {
    let (data, bytes) = record.summary.left;
    let text =
        format!("{data} data of {bytes} bytes were never relaxed: dvm_data_relax gives their memory back earlier.");
    (data > 0).then(|| advice("never_relaxed", text))
}

fn nothing_stands_out(record: &RunRecord) -> Option<Advice> {
    let share = record.busy() as f64 / (elapsed(record) * record.workers().max(1) as f64);
    let first = record.kinds.first()?;
    let text = format!(
        "The workers were busy for {} of the run, and nothing stands out. Most time is in {} ({}): look at its body.",
        percent(share),
        kind(record, first.tiles, first.name),
        milliseconds(first.time.total)
    );
    Some(advice("nothing_stands_out", text))
}
