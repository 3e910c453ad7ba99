//! The critical path of a job: the longest chain of tasks and tiles that wait for each other, over all of its processes. It
//! follows from the parts of the report that they have sent: their own arrows, and data that one has made and another has read.

use std::collections::HashMap;

use serde::Deserialize;

use crate::trace::chains::{self, ChainNode, EventPlace};

/// What is read of a part. Numbers that belong together follow each other.
#[derive(Deserialize)]
struct JobPart {
    begin_ns: u64,
    lines: Vec<PartLine>,
    arrows: Vec<u32>,
    critical_path: PartWork,
    /// Of each datum: line and place of the task, home and number.
    #[serde(default)]
    made: Vec<u64>,
    #[serde(default)]
    read: Vec<u64>,
    #[serde(default)]
    barriers: Vec<u32>,
}

#[derive(Deserialize)]
struct PartWork {
    work_ns: u64,
}

#[derive(Deserialize)]
struct PartLine {
    kind: String,
    start: Vec<u64>,
    duration: Vec<u64>,
}

/// Times are in nanoseconds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JobPath {
    /// Time of all tasks and tiles.
    pub(super) work: u64,
    /// Time of the longest chain.
    pub(super) span: u64,
    /// Its events: the place of the process in the list, and the event's place there.
    pub(super) events: Vec<(usize, EventPlace)>,
}

/// The path over these parts; none of a single process, or where a part is none that this library has written.
pub(super) fn critical_path(parts: &[&[u8]]) -> Option<JobPath> {
    if parts.len() < 2 {
        return None;
    }
    let parts: Vec<JobPart> = parts.iter().map(|part| serde_json::from_slice(part).ok()).collect::<Option<_>>()?;
    let joined = Joined::of(&parts);
    let number = chains::numbers(&joined.nodes);
    let mut edges = Vec::new();
    let mut makers: HashMap<[u64; 2], usize> = HashMap::new();
    for (at, part) in parts.iter().enumerate() {
        let node = |line: u64, place: u64| number.get(&joined.place(at, line, place)).copied();
        let pairs = part.arrows.chunks_exact(4).chain(part.barriers.chunks_exact(4));
        edges.extend(pairs.filter_map(|pair| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| u64::from(pair[k]));
            Some((node(a, b)?, node(c, d)?))
        }));
        let made = part.made.chunks_exact(4);
        makers.extend(made.filter_map(|one| Some(([one[2], one[3]], node(one[0], one[1])?))));
    }
    for (at, part) in parts.iter().enumerate() {
        edges.extend(part.read.chunks_exact(4).filter_map(|one| {
            let reader = number.get(&joined.place(at, one[0], one[1]))?;
            Some((*makers.get(&[one[2], one[3]])?, *reader))
        }));
    }
    let found = chains::longest(&joined.nodes, &chains::forward(edges), 0);
    let work = parts.iter().map(|part| part.critical_path.work_ns).sum();
    let events = found.path.iter().map(|&place| joined.apart(place)).collect();
    Some(JobPath { work, span: found.span, events })
}

/// The tasks and tiles of all processes, whose lines are numbered one process after the other.
struct Joined {
    nodes: Vec<ChainNode>,
    /// The number of the first line of each process.
    first: Vec<u32>,
}

impl Joined {
    fn of(parts: &[JobPart]) -> Joined {
        let (mut nodes, mut first, mut lines) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            first.push(lines);
            for line in &part.lines {
                let events = line.kind.bytes().zip(&line.start).zip(&line.duration).enumerate();
                nodes.extend(events.filter(|(_, ((kind, _), _))| matches!(kind, b't' | b'i')).map(
                    |(place, ((_, start), &duration))| ChainNode {
                        place: (lines, place as u32),
                        start: part.begin_ns + start,
                        duration,
                        run: None,
                    },
                ));
                lines += 1;
            }
        }
        nodes.sort_by_key(|node| (node.start, node.place));
        Joined { nodes, first }
    }

    /// The place of an event of a process, here.
    fn place(&self, process: usize, line: u64, place: u64) -> EventPlace {
        (self.first[process] + line as u32, place as u32)
    }

    /// The other way round.
    fn apart(&self, (line, place): EventPlace) -> (usize, EventPlace) {
        let process = self.first.partition_point(|first| *first <= line) - 1;
        (process, (line - self.first[process], place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes: a task of the first makes datum {0, 5}, the second reads it and makes {1, 5} from it, which the first reads; a
    /// long task of the second waits for nothing.
    fn parts() -> [String; 2] {
        let part = |begin: u64, lines: &str, arrows: &str, made: &str, read: &str| {
            format!(
                "{{\"process\":0,\"begin_ns\":{begin},\"critical_path\":{{\"work_ns\":100,\"span_ns\":7}},\"lines\":[{lines}],\
                 \"arrows\":[{arrows}],\"made\":[{made}],\"read\":[{read}],\"barriers\":[]}}"
            )
        };
        let first = part(
            10,
            "{\"kind\":\"zt\",\"start\":[0,1],\"duration\":[1,20]},{\"kind\":\"tt\",\"start\":[60,90],\"duration\":[20,5]}",
            "1,0,1,1",
            "0,1,0,5",
            "1,0,1,5",
        );
        let second =
            part(0, "{\"kind\":\"tt\",\"start\":[0,40],\"duration\":[38,25]}", "", "0,1,1,5", "0,1,0,5,0,1,0,77");
        [first, second]
    }

    #[test]
    fn a_chain_goes_from_process_to_process() {
        let parts = parts();
        let path = critical_path(&[parts[0].as_bytes(), parts[1].as_bytes()]).expect("a path");
        let events = vec![(0, (0, 1)), (1, (0, 1)), (0, (1, 0)), (0, (1, 1))];
        assert_eq!(path, JobPath { work: 200, span: 20 + 25 + 20 + 5, events });
    }

    #[test]
    fn a_single_process_and_broken_parts_have_none() {
        let parts = parts();
        assert_eq!(critical_path(&[parts[0].as_bytes()]), None);
        assert_eq!(critical_path(&[parts[0].as_bytes(), b"{"]), None);
    }
}
