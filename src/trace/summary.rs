//! The table at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::session::Session;
use super::tally::{Sum, Tally};
use super::traffic::{self, Traffic};

/// Processings and graphs that are told; all are counted.
const TOLD: usize = 24;

/// What the table has of one process.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProcessSummary {
    pub(super) process: u32,
    /// In nanoseconds.
    pub(super) elapsed: u64,
    pub(super) peak: u64,
    /// One for each worker, and at the end one for the other threads.
    pub(super) rows: Vec<(String, Tally)>,
    /// What the numbers in the tallies mean.
    pub(super) names: Vec<String>,
    pub(super) traffic: Option<Traffic>,
    /// Data that nobody had relaxed at the end, and their bytes.
    #[serde(default)]
    pub(super) left: (u64, u64),
}

impl ProcessSummary {
    pub(super) fn of(session: &Session) -> ProcessSummary {
        let rate = session.clock.rate();
        let tally = |row: &super::session::Row| {
            let tally = row.book.lock().tally.clone();
            (row.title.clone(), tally.in_nanoseconds(rate))
        };
        let (traffic, left) = {
            let collected = session.collected.lock();
            (collected.traffic.clone(), collected.left)
        };
        ProcessSummary {
            process: session.job.map_or(0, |job| job.process),
            elapsed: (session.now() as f64 * rate) as u64,
            peak: peak_memory(),
            rows: session.rows[..=session.others].iter().map(tally).collect(),
            names: session.names.lock().texts.clone(),
            traffic,
            left,
        }
    }
}

/// The whole table of one process.
pub(super) fn table(session: &Session) -> String {
    show(&[ProcessSummary::of(session)])
}

/// The most memory that the process ever had, in bytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.3}", nanoseconds as f64 / 1e6)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// The table of these processes.
pub(super) fn show(processes: &[ProcessSummary]) -> String {
    let rows = || processes.iter().flat_map(|of| of.rows.iter());
    let workers = rows().count() - processes.len();
    let most = |part: fn(&ProcessSummary) -> u64| processes.iter().map(part).max().unwrap_or(0);
    let (elapsed, peak) = (most(|of| of.elapsed), most(|of| of.peak));
    let (of_processes, in_one) = match processes.len() {
        1 => (String::new(), ""),
        count => (format!(" of {count} processes"), " in a process"),
    };
    let mut text = format!(
        "libdvm: summary of {:.3} s on {workers} worker{}{of_processes}; peak memory {}{in_one}\n",
        elapsed as f64 / 1e9,
        if workers == 1 { "" } else { "s" },
        megabytes(peak)
    );
    let mut kinds: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    for of in processes {
        for (_, tally) in &of.rows {
            for (what, sums) in [("task", &tally.tasks), ("tile", &tally.tiles)] {
                for (&name, &sum) in sums {
                    let name = of.names.get(name as usize).map_or("", String::as_str);
                    kinds.entry((what, name)).or_default().merge(sum);
                }
            }
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|&(kind, sum)| (std::cmp::Reverse(sum.total), kind));
    let _ = writeln!(text, "  {:>10} {:>12} {:>12} {:>12}  of", "run", "total ms", "mean us", "longest us");
    for ((what, name), sum) in kinds.iter().take(TOLD) {
        let mean = sum.total as f64 / sum.count.max(1) as f64 / 1e3;
        let (total, most) = (milliseconds(sum.total), sum.most as f64 / 1e3);
        let _ = writeln!(
            text,
            "  {:>10} {total:>12} {mean:>12.3} {most:>12.3}  {what} '{}'",
            sum.count,
            name.escape_debug()
        );
    }
    if kinds.len() > TOLD {
        let _ = writeln!(text, "  and {} more kinds", kinds.len() - TOLD);
    }
    let _ = writeln!(
        text,
        "  {:>10} {:>10} {:>12} {:>12} {:>12} {:>10}  by",
        "tasks", "tiles", "busy ms", "idle ms", "asleep ms", "steals"
    );
    let count = |sums: &BTreeMap<u32, Sum>| sums.values().map(|sum| sum.count).sum::<u64>();
    for (of, row, (title, tally)) in
        processes.iter().flat_map(|of| of.rows.iter().enumerate().map(move |(row, told)| (of, row, told)))
    {
        let (tasks, tiles, busy) = (count(&tally.tasks), count(&tally.tiles), tally.busy());
        let worker = row + 1 < of.rows.len();
        if !worker && tasks + tiles == 0 {
            continue;
        }
        // What other threads do besides is not the library's.
        let idle = if worker { milliseconds(of.elapsed.saturating_sub(busy)) } else { "-".into() };
        let asleep = if worker { milliseconds(tally.asleep.total) } else { "-".into() };
        let _ = writeln!(
            text,
            "  {tasks:>10} {tiles:>10} {:>12} {idle:>12} {asleep:>12} {:>10}  {title}",
            milliseconds(busy),
            tally.steals
        );
    }
    let sum = |part: fn(&Tally) -> Sum| {
        rows().fold(Sum::default(), |mut all, (_, tally)| {
            all.merge(part(tally));
            all
        })
    };
    let (published, copied) = (sum(|tally| tally.published), sum(|tally| tally.copied));
    let _ = writeln!(
        text,
        "  data: {} published ({}), {} copied to be carried on ({})",
        published.count,
        megabytes(published.total),
        copied.count,
        megabytes(copied.total)
    );
    let left = processes.iter().fold((0, 0), |sum, of| (sum.0 + of.left.0, sum.1 + of.left.1));
    if left.0 > 0 {
        let _ = writeln!(text, "  data: {} never relaxed ({})", left.0, megabytes(left.1));
    }
    let traffic: Vec<(u32, &Traffic)> =
        processes.iter().filter_map(|of| Some((of.process, of.traffic.as_ref()?))).collect();
    text + &traffic::show(&traffic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::ring::{Event, Kind};

    fn event(kind: Kind, subject: u32, duration: u64, bytes: i64) -> Event {
        Event { start: 0, duration, coordinates: [0, bytes, 0, 0], subject, dimension: 2, kept: 2, kind }
    }

    fn summary<const N: usize>(
        process: u32,
        titles: [&str; N],
        tallies: Vec<Tally>,
        names: &[String],
    ) -> ProcessSummary {
        let rows = titles.map(str::to_owned).into_iter().zip(tallies).collect();
        let names = names.to_vec();
        ProcessSummary { process, elapsed: 10_000_000, peak: 123_400_000, rows, names, traffic: None, left: (0, 0) }
    }

    #[test]
    fn processes_are_told_together_whatever_numbers_they_give_to_names() {
        let tallied = |events: &[Event]| {
            let mut tallies = vec![Tally::default(); 2];
            for event in events {
                tallies[0].add(event);
            }
            tallies
        };
        let first = tallied(&[event(Kind::Task, 1, 3_000_000, 0)]);
        let second = tallied(&[event(Kind::Task, 0, 1_000_000, 0), event(Kind::Task, 1, 500_000, 0)]);
        let first =
            summary(0, ["process 0, rank 0", "process 0, other threads"], first, &["show".into(), "axpy".into()]);
        let mut second =
            summary(1, ["process 1, rank 1", "process 1, other threads"], second, &["axpy".into(), "show".into()]);
        second.peak = 0;
        let mut traffic = Traffic::new(2);
        traffic.sent[0].bytes = 77;
        second.traffic = Some(traffic);
        let text = serde_json::to_string(&second).unwrap();
        let second: ProcessSummary = serde_json::from_str(&text).unwrap();
        let expected = "\
libdvm: summary of 0.010 s on 2 workers of 2 processes; peak memory 123.4 MB in a process
         run     total ms      mean us   longest us  of
           2        4.000     2000.000     3000.000  task 'axpy'
           1        0.500      500.000      500.000  task 'show'
       tasks      tiles      busy ms      idle ms    asleep ms     steals  by
           1          0        3.000        7.000        0.000          0  process 0, rank 0
           2          0        1.500        8.500        0.000          0  process 1, rank 1
  data: 0 published (0.0 MB), 0 copied to be carried on (0.0 MB)
    messages    batches        bytes  from process -> to process
           0          0           77  1 -> 0
";
        assert_eq!(show(&[first, second]), expected);
    }

    #[test]
    fn the_table_has_the_sums_of_the_events() {
        let mut tallies = vec![Tally::default(); 3];
        for (worker, kind, subject, duration, bytes) in [
            (0, Kind::Task, 0, 1_500_000, 0),
            (0, Kind::Task, 0, 500_000, 0),
            (1, Kind::Task, 0, 1_000_000, 0),
            (1, Kind::Tile, 1, 4_000_000, 0),
            (1, Kind::Sleep, 0, 2_000_000, 0),
            (1, Kind::Steal, 0, 10, 0),
            (0, Kind::Publish, 0, 0, 2_000_000),
            (1, Kind::Publish, 0, 0, 1_000_000),
            (0, Kind::Copy, 0, 77, 500_000),
            (2, Kind::Tile, 1, 1_000_000, 0),
        ] {
            tallies[worker].add(&event(kind, subject, duration, bytes));
        }
        let names = ["axpy".to_owned(), "wave".to_owned()];
        let shown = show(&[summary(0, ["rank 0 0", "rank 0 1", "other threads"], tallies, &names)]);
        let expected = "\
libdvm: summary of 0.010 s on 2 workers; peak memory 123.4 MB
         run     total ms      mean us   longest us  of
           2        5.000     2500.000     4000.000  tile 'wave'
           3        3.000     1000.000     1500.000  task 'axpy'
       tasks      tiles      busy ms      idle ms    asleep ms     steals  by
           2          0        2.000        8.000        0.000          0  rank 0 0
           1          1        5.000        5.000        2.000          1  rank 0 1
           0          1        1.000            -            -          0  other threads
  data: 2 published (3.0 MB), 1 copied to be carried on (0.5 MB)
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn many_kinds_are_cut_and_counted() {
        let mut tallies = vec![Tally::default(); 2];
        let names: Vec<String> = (0..30).map(|kind| format!("kind {kind}")).collect();
        (0..30).for_each(|kind| tallies[0].add(&event(Kind::Task, kind, u64::from(kind), 0)));
        let shown = show(&[summary(0, ["rank 0", "other threads"], tallies, &names)]);
        assert!(shown.contains("  and 6 more kinds\n") && shown.contains("'kind 29'") && !shown.contains("'kind 5'"));
    }

    #[test]
    fn the_process_has_had_some_memory() {
        assert!(peak_memory() > 1 << 20);
    }
}
