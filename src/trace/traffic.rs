//! What went between the processes of a job.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// Pairs and processes that are told; all are counted.
const TOLD: usize = 24;

/// What a process has sent to another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentTraffic {
    pub(crate) messages: u64,
    pub(crate) batches: u64,
    pub(crate) bytes: u64,
}

/// What a process has exchanged with the others. Plain numbers, which are counted whether anybody asks or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Traffic {
    /// By the receiver's index.
    pub(crate) sent: Vec<SentTraffic>,
    /// Requests for bytes, and the bytes that have come.
    pub(crate) fetches: u64,
    pub(crate) fetched_bytes: u64,
    /// Inputs of tasks that were here already.
    pub(crate) hits: u64,
    /// Copies that made room for others.
    pub(crate) evictions: u64,
    /// Threads that waited for an answer of another process, and for how many nanoseconds.
    pub(crate) waits: u64,
    pub(crate) waited: u64,
}

impl Traffic {
    /// Nothing, in a job of so many processes.
    pub(crate) fn new(processes: usize) -> Traffic {
        Traffic { sent: vec![SentTraffic::default(); processes], ..Traffic::default() }
    }

    fn is_nothing(&self) -> bool {
        let Traffic { sent: _, fetches, fetched_bytes: _, hits, evictions, waits, waited: _ } = *self;
        fetches + hits + evictions + waits == 0
    }
}

fn cut(text: &mut String, all: usize, what: &str) {
    if all > TOLD {
        let _ = writeln!(text, "  and {} more {what}", all - TOLD);
    }
}

/// The lines of the summary about the traffic of a job, given by process.
pub(super) fn show(all: &[(u32, &Traffic)]) -> String {
    let mut text = String::new();
    let mut pairs: Vec<(u32, usize, SentTraffic)> = Vec::new();
    for (from, traffic) in all {
        let sent = traffic.sent.iter().enumerate().filter(|(_, sent)| sent.messages > 0 || sent.bytes > 0);
        pairs.extend(sent.map(|(to, sent)| (*from, to, *sent)));
    }
    pairs.sort_by_key(|&(from, to, sent)| (std::cmp::Reverse(sent.bytes), from, to));
    if !pairs.is_empty() {
        let _ = writeln!(text, "  {:>10} {:>10} {:>12}  from process -> to process", "messages", "batches", "bytes");
    }
    for (from, to, SentTraffic { messages, batches, bytes }) in pairs.iter().take(TOLD) {
        let _ = writeln!(text, "  {messages:>10} {batches:>10} {bytes:>12}  {from} -> {to}");
    }
    cut(&mut text, pairs.len(), "pairs of processes");
    let busy: Vec<&(u32, &Traffic)> = all.iter().filter(|(_, traffic)| !traffic.is_nothing()).collect();
    if !busy.is_empty() {
        let _ = writeln!(
            text,
            "  {:>10} {:>12} {:>10} {:>10} {:>10} {:>12}  of",
            "fetches", "bytes", "used again", "evicted", "waits", "waited ms"
        );
    }
    for (process, traffic) in busy.iter().take(TOLD) {
        let waited = traffic.waited as f64 / 1e6;
        let _ = writeln!(
            text,
            "  {:>10} {:>12} {:>10} {:>10} {:>10} {waited:>12.3}  process {process}",
            traffic.fetches, traffic.fetched_bytes, traffic.hits, traffic.evictions, traffic.waits
        );
    }
    cut(&mut text, busy.len(), "processes");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_told_by_their_bytes_and_those_without_traffic_are_not() {
        let mut all = [Traffic::new(3), Traffic::new(3), Traffic::new(3)];
        all[0].sent[1] = SentTraffic { messages: 10, batches: 2, bytes: 5_000 };
        all[2].sent[0] = SentTraffic { messages: 3, batches: 3, bytes: 70_000 };
        all[2].sent[1] = SentTraffic { messages: 1, batches: 1, bytes: 5_000 };
        all[1].fetches = 4;
        all[1].fetched_bytes = 4096;
        all[1].waits = 1;
        all[1].waited = 1_500_000;
        let all: Vec<(u32, &Traffic)> = (0..).zip(&all).collect();
        let expected = "    messages    batches        bytes  from process -> to process
           3          3        70000  2 -> 0
          10          2         5000  0 -> 1
           1          1         5000  2 -> 1
     fetches        bytes used again    evicted      waits    waited ms  of
           4         4096          0          0          1        1.500  process 1
";
        assert_eq!(show(&all), expected);
        assert_eq!(show(&[(0, &Traffic::new(2))]), "");
    }

    #[test]
    fn many_pairs_are_cut_and_counted() {
        let mut one = Traffic::new(40);
        one.sent.iter_mut().skip(1).for_each(|sent| sent.messages = 1);
        assert!(show(&[(0, &one)]).ends_with("  and 15 more pairs of processes\n"));
    }
}
