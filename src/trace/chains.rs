//! Who reads what: arrows from tasks to the readers of their data and between tiles, and the longest chain of these.

use std::collections::HashMap;

use super::line::{GraphTiles, Line, runs};
use super::ring::Kind;

/// An event: its line, and its place in the line.
pub(super) type EventPlace = (u32, u32);

/// An arrow between two events.
pub(super) type EventArrow = (EventPlace, EventPlace);

#[derive(Debug, Default)]
pub(super) struct Chains {
    /// From a task to a reader of its data, or from a tile to one that waits for it; then from publications outside of tasks.
    pub(super) arrows: Vec<EventArrow>,
    /// Time of all tasks and tiles; what runs inside of another one counts once.
    pub(super) work: u64,
    /// Time of the longest chain.
    pub(super) span: u64,
    /// Its events, in their order.
    pub(super) path: Vec<EventPlace>,
    /// From the last event of the longest chain of the graphs before to each tile of a graph that waited for them.
    pub(super) barriers: Vec<EventArrow>,
}

/// A datum of a task, by home and number.
pub(super) type DatumOfTask = (EventPlace, (u64, u64));

/// The data that tasks of process `home` have made, and those that they have read.
pub(super) fn data_of_tasks(lines: &[Line], home: u64) -> (Vec<DatumOfTask>, Vec<DatumOfTask>) {
    let nodes = nodes(lines);
    let made = origins(lines, home, &numbers(&nodes)).into_iter().filter_map(|(datum, origin)| match origin {
        Origin::Task(node) => Some((nodes[node].place, datum)),
        Origin::Outside(..) => None,
    });
    let mut made: Vec<DatumOfTask> = made.collect();
    made.sort_unstable();
    let mut read = Vec::new();
    for (line, Line { arguments, .. }) in lines.iter().enumerate() {
        let reads = arguments.iter().filter(|argument| !argument.produced);
        read.extend(reads.map(|one| ((line as u32, one.task as u32), (one.home, one.number))));
    }
    (made, read)
}

/// From tasks of process `home` to the readers of their data, in the order of their starts; then from publications outside of
/// tasks.
pub(super) fn readers(lines: &[Line], home: u64) -> Vec<EventArrow> {
    let nodes = nodes(lines);
    let (edges, mut outside) = data_edges(lines, home, &numbers(&nodes));
    let mut arrows: Vec<_> = forward(edges).iter().map(|&(from, to)| (nodes[from].place, nodes[to].place)).collect();
    arrows.append(&mut outside);
    arrows
}

/// A task or tile.
pub(super) struct ChainNode {
    pub(super) place: EventPlace,
    pub(super) start: u64,
    pub(super) duration: u64,
    /// The run of its graph.
    pub(super) run: Option<u32>,
}

/// The arrows and the critical path of these events of process `home`. Graphs run one after the other: what begins after
/// another one's end waited for it.
pub(super) fn find(lines: &[Line], home: u64, graphs: &[GraphTiles]) -> Chains {
    let mut nodes = nodes(lines);
    let (mut edges, outside) = data_edges(lines, home, &numbers(&nodes));
    edges.extend(tile_edges(lines, graphs, &mut nodes));
    let mut chains = longest(&nodes, &forward(edges), graphs.len());
    chains.arrows.extend(outside);
    chains
}

/// All tasks and tiles, in the order of their starts.
fn nodes(lines: &[Line]) -> Vec<ChainNode> {
    let mut nodes = Vec::new();
    for (line, Line { events, .. }) in lines.iter().enumerate() {
        for (place, event) in events.iter().enumerate().filter(|(_, event)| runs(event)) {
            let place = (line as u32, place as u32);
            nodes.push(ChainNode { place, start: event.start, duration: event.duration, run: None });
        }
    }
    nodes.sort_by_key(|node| (node.start, node.place));
    nodes
}

pub(super) fn numbers(nodes: &[ChainNode]) -> HashMap<EventPlace, usize> {
    nodes.iter().enumerate().map(|(at, node)| (node.place, at)).collect()
}

/// The edges that lead from earlier nodes to later ones, each once and sorted.
pub(super) fn forward(mut edges: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    // A clock's error cannot turn an arrow round: what a task read was there before it began.
    edges.retain(|(from, to)| from < to);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Where a datum comes from.
#[derive(Clone, Copy)]
enum Origin {
    Task(usize),
    /// A publication by no task.
    Outside(EventPlace, u64),
}

/// Edges from tasks to the readers of their data, and arrows to readers from publications outside of tasks.
fn data_edges(
    lines: &[Line],
    home: u64,
    number: &HashMap<EventPlace, usize>,
) -> (Vec<(usize, usize)>, Vec<EventArrow>) {
    let origins = origins(lines, home, number);
    let (mut edges, mut outside) = (Vec::new(), Vec::new());
    for (line, Line { events, arguments, .. }) in lines.iter().enumerate() {
        for argument in arguments.iter().filter(|argument| !argument.produced) {
            let place = (line as u32, argument.task as u32);
            match (origins.get(&(argument.home, argument.number)), number.get(&place)) {
                (Some(&Origin::Task(from)), Some(&to)) => edges.push((from, to)),
                (Some(&Origin::Outside(from, time)), Some(_)) if time <= events[argument.task].start => {
                    outside.push((from, place));
                }
                _ => {}
            }
        }
    }
    outside.sort_unstable();
    outside.dedup();
    (edges, outside)
}

/// Where data come from, by home and number. What is published by hand has its home here.
fn origins(lines: &[Line], home: u64, number: &HashMap<EventPlace, usize>) -> HashMap<(u64, u64), Origin> {
    let mut origins = HashMap::new();
    for (line, Line { events, .. }) in lines.iter().enumerate() {
        // What a task publishes by hand is its own as well.
        let mut task: Option<usize> = None;
        for (place, event) in events.iter().enumerate() {
            if event.kind == Kind::Task {
                task = Some(place);
            } else if event.kind == Kind::Publish {
                let around = task.filter(|&task| event.start <= events[task].start + events[task].duration);
                let node = around.and_then(|task| number.get(&(line as u32, task as u32)));
                let outside = Origin::Outside((line as u32, place as u32), event.start);
                let origin = node.map_or(outside, |&node| Origin::Task(node));
                origins.insert((home, event.coordinates[0].cast_unsigned()), origin);
            }
        }
    }
    for (line, Line { arguments, .. }) in lines.iter().enumerate() {
        for argument in arguments.iter().filter(|argument| argument.produced) {
            if let Some(&node) = number.get(&(line as u32, argument.task as u32)) {
                origins.insert((argument.home, argument.number), Origin::Task(node));
            }
        }
    }
    origins
}

/// The edges between tiles; each tile gets its run: the latest one of its graph that began before it.
fn tile_edges(lines: &[Line], graphs: &[GraphTiles], nodes: &mut [ChainNode]) -> Vec<(usize, usize)> {
    let mut begins: HashMap<u32, Vec<(u64, u32)>> = HashMap::new();
    for (run, graph) in graphs.iter().enumerate() {
        begins.entry(graph.name).or_default().push((graph.begin, run as u32));
    }
    for list in begins.values_mut() {
        list.sort_unstable();
    }
    let mut tiles: Vec<HashMap<String, usize>> = graphs.iter().map(|_| HashMap::new()).collect();
    for (at, node) in nodes.iter_mut().enumerate() {
        let event = &lines[node.place.0 as usize].events[node.place.1 as usize];
        if event.kind != Kind::Tile {
            continue;
        }
        let Some(list) = begins.get(&event.subject) else { continue };
        let before = list.partition_point(|&(begin, _)| begin <= event.start);
        if let Some(&(_, run)) = before.checked_sub(1).and_then(|last| list.get(last)) {
            node.run = Some(run);
            if event.dimension == u16::from(event.kept) {
                tiles[run as usize].insert(event.tile_text(), at);
            }
        }
    }
    let mut edges = Vec::new();
    for (graph, tiles) in graphs.iter().zip(&tiles) {
        let numbers: HashMap<u64, usize> =
            graph.labels.iter().filter_map(|(number, label)| Some((*number, *tiles.get(label)?))).collect();
        let pairs = graph.edges.iter().filter_map(|(from, to)| Some((*numbers.get(from)?, *numbers.get(to)?)));
        edges.extend(pairs);
    }
    edges
}

/// The time of all nodes; what runs inside of another one on the same line counts once. Nodes are in the order of their
/// starts.
fn work(nodes: &[ChainNode]) -> u64 {
    let mut until: HashMap<u32, u64> = HashMap::new();
    let mut work = 0;
    for node in nodes {
        let (until, end) = (until.entry(node.place.0).or_default(), node.start + node.duration);
        work += end.saturating_sub(node.start.max(*until));
        *until = end.max(*until);
    }
    work
}

/// A chain's time, and its last node.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Chain {
    time: u64,
    last: Option<usize>,
}

/// Edges lead from earlier nodes to later ones, and are sorted.
pub(super) fn longest(nodes: &[ChainNode], edges: &[(usize, usize)], graphs: usize) -> Chains {
    let mut into: Vec<(usize, usize)> = edges.iter().map(|&(from, to)| (to, from)).collect();
    into.sort_unstable();
    let mut ends = vec![0; graphs];
    for node in nodes {
        if let Some(run) = node.run {
            let end: &mut u64 = &mut ends[run as usize];
            *end = (*end).max(node.start + node.duration);
        }
    }
    let mut by_end: Vec<usize> = (0..graphs).collect();
    by_end.sort_by_key(|&run| ends[run]);
    let mut ended = 0;
    let mut best_of = vec![Chain::default(); graphs];
    let mut base: Vec<Option<Chain>> = vec![None; graphs];
    let mut barrier = Chain::default();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(nodes.len());
    let mut times: Vec<u64> = Vec::with_capacity(nodes.len());
    let (mut at, mut best) = (0, Chain::default());
    let mut barriers = Vec::new();
    for (this, node) in nodes.iter().enumerate() {
        let mut longest = Chain::default();
        if let Some(run) = node.run.map(|run| run as usize) {
            longest = *base[run].get_or_insert_with(|| {
                while let Some(&other) = by_end.get(ended).filter(|&&other| ends[other] <= node.start) {
                    barrier = barrier.max(best_of[other]);
                    ended += 1;
                }
                barrier
            });
            barriers.extend(longest.last.map(|last| (nodes[last].place, node.place)));
        }
        while let Some(&(_, from)) = into.get(at).filter(|&&(to, _)| to == this) {
            // What was published before the task's end is read meanwhile: only the time before counts.
            let overlap = (nodes[from].start + nodes[from].duration).saturating_sub(node.start);
            longest = longest.max(Chain { time: times[from] - overlap, last: Some(from) });
            at += 1;
        }
        let chain = Chain { time: longest.time + node.duration, last: Some(this) };
        times.push(chain.time);
        before.push(longest.last);
        best = best.max(chain);
        if let Some(run) = node.run {
            let of = &mut best_of[run as usize];
            *of = (*of).max(chain);
        }
    }
    let mut path = Vec::new();
    let mut next = best.last;
    while let Some(node) = next {
        path.push(nodes[node].place);
        next = before[node];
    }
    path.reverse();
    Chains {
        arrows: edges.iter().map(|&(from, to)| (nodes[from].place, nodes[to].place)).collect(),
        work: work(nodes),
        span: best.time,
        path,
        barriers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::coordinates::pack;
    use crate::trace::ring::Event;

    fn event(kind: Kind, start: u64, duration: u64, words: &[i64]) -> Event {
        let (coordinates, kept) = pack(words);
        Event { start, duration, coordinates, subject: 0, dimension: words.len() as u16, kept, kind }
    }

    fn task_that_reads(start: u64, datum: i64) -> [Event; 2] {
        [event(Kind::Task, start, 4, &[]), event(Kind::Argument, start, 0, &[datum, 8, 0])]
    }

    #[test]
    fn publications_outside_of_tasks_lead_to_readers() {
        let publish = |start, datum| event(Kind::Publish, start, 0, &[datum, 8]);
        let early = task_that_reads(2, 7);
        let worker = [early, task_that_reads(10, 7), task_that_reads(20, 8), task_that_reads(30, 9)].concat();
        let publisher = vec![event(Kind::Task, 1, 10, &[]), publish(3, 8)];
        let lines =
            [Line::new(true, worker, 0), Line::new(true, publisher, 0), Line::new(false, vec![publish(5, 7)], 0)];
        // A reader that began before is another datum's, or a clock's error; nobody published datum 9.
        let expected = [((1, 0), (0, 2)), ((2, 0), (0, 1))];
        assert_eq!(readers(&lines, 0), expected);
        let chains = find(&lines, 0, &[]);
        assert_eq!((chains.arrows.as_slice(), chains.path.len()), (expected.as_slice(), 2));
    }
}
