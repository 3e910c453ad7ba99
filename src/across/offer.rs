//! Regions without the clause `across`: in a program of one process, each of their entries runs in process 0, or on all
//! processes where that pays (`pays`).

use std::collections::BTreeMap;
use std::time::Duration;

use super::known;
use super::pays::{EntryLoad, EntryWay, WayChoice, WayReason, WayTimes};
use crate::engine::Call;
use crate::graph::class;
use crate::sync::lock::Mutex;

/// What is known of a region's entries of one power of two of the work.
#[derive(Default)]
struct KnownEntries {
    times: WayTimes,
    /// What was last told of them.
    told: Option<EntryWay>,
}

/// By the address of a region's table and the power of two of the work.
static ENTRIES: Mutex<BTreeMap<(usize, usize), KnownEntries>> = Mutex::new(BTreeMap::new());

/// Whether an entry of such a region runs on all processes. `alone`: the nanoseconds that this process needs, if known.
pub(crate) fn goes_across(call: &Call, table: usize, name: &str, load: EntryLoad, alone: Option<u64>) -> bool {
    let config = call.engine().config();
    if config.across_always() {
        return true;
    }
    let mut all = ENTRIES.lock();
    let known = all.entry((table, class_of(load))).or_default();
    let choice = known.times.next(load, alone);
    let is_news = choice.reason != WayReason::Tried && known.told != Some(choice.way);
    if is_news {
        known.told = Some(choice.way);
    }
    drop(all);
    if is_news {
        config.note(|| words(name, load, choice));
    }
    choice.way == EntryWay::Across
}

/// It has run on all processes, for so long; without a time: it cannot.
pub(crate) fn went_across(table: usize, load: EntryLoad, time: Option<Duration>) {
    match time {
        Some(time) => ENTRIES.lock().entry((table, class_of(load))).or_default().times.took_across(time),
        None => known::withdraw(table),
    }
}

fn class_of(load: EntryLoad) -> usize {
    class(i64::try_from(load.work).unwrap_or(i64::MAX))
}

fn words(name: &str, load: EntryLoad, choice: WayChoice) -> String {
    let who = match choice.way {
        EntryWay::Alone => "in process 0".to_owned(),
        EntryWay::Across => format!("on {} processes", load.processes),
    };
    let how = if choice.reason == WayReason::Measured { "measured" } else { "estimated" };
    let [alone, across] = choice.times.map(|time| time as f64 / 1e3);
    format!(
        "region '{name}' with about {} iterations and {} bytes runs {who}: {alone:.1} us in one, {across:.1} us on all, {how}; \
         DVM_ACROSS=0 or 1 decides instead",
        load.work, load.bytes
    )
}
