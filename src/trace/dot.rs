//! The graph of all tasks and tiles, in the language of Graphviz's dot.
//!
//! A task's data are noted when it is scheduled. An edge goes from the task that produces a datum to each that reads it,
//! whichever is scheduled first. Up to a number of nodes are kept, and the others counted.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::io::{Result, Write};

use crate::error::Error;
use crate::memory;

/// What was scheduled.
#[derive(Debug)]
pub(super) struct Drawing {
    limit: usize,
    /// Nodes of tasks and tiles.
    nodes: usize,
    /// The descriptions of the tasks' processings.
    tasks: Vec<String>,
    /// Which task produces a datum.
    producers: HashMap<u64, usize>,
    /// Data that tasks read.
    reads: Vec<(u64, usize)>,
    /// Tasks that are not drawn.
    left_out: u64,
    /// Tasks and graphs that there was no memory to note.
    unnoted: u64,
    graphs: Vec<Tiles>,
}

/// The number and the label of a tile.
pub(super) type NumberedTile = (u64, String);

/// The tiles of a graph.
#[derive(Debug)]
pub(crate) struct Tiles {
    name: String,
    volume: u64,
    nodes: Vec<NumberedTile>,
    edges: Vec<(u64, u64)>,
    /// False when they were too many.
    drawn: bool,
    /// There was no memory to note all of it.
    partial: bool,
}

impl Tiles {
    pub(super) fn new(name: &str, volume: u64, drawn: bool) -> std::result::Result<Tiles, Error> {
        let name = memory::text(name)?;
        Ok(Tiles { name, volume, nodes: Vec::new(), edges: Vec::new(), drawn, partial: false })
    }

    /// The tiles, and the edges between their numbers.
    pub(super) fn parts(&self) -> (&[NumberedTile], &[(u64, u64)]) {
        (&self.nodes, &self.edges)
    }

    /// Whether all is noted.
    pub(super) fn complete(&self) -> bool {
        self.drawn && !self.partial
    }

    /// Adds a tile.
    pub(crate) fn tile(&mut self, number: u64, coordinates: &[i64]) {
        match label(coordinates).and_then(|label| memory::room_for(&mut self.nodes, 1).map(|()| label)) {
            Ok(label) => self.nodes.push((number, label)),
            Err(_) => self.partial = true,
        }
    }

    /// Adds an edge.
    pub(crate) fn edge(&mut self, from: u64, to: u64) {
        match memory::room_for(&mut self.edges, 1) {
            Ok(()) => self.edges.push((from, to)),
            Err(_) => self.partial = true,
        }
    }
}

/// Coordinates with commas between them.
fn label(coordinates: &[i64]) -> std::result::Result<String, Error> {
    /// The characters of a number of 64 bits, its sign and a comma.
    const WIDTH: usize = 21;
    let mut text = String::new();
    memory::strictly(|| text.try_reserve_exact(WIDTH * coordinates.len()))?;
    for (k, coordinate) in coordinates.iter().enumerate() {
        // There is room: it allocates nothing, and writing to a text does not fail.
        let _ = write!(text, "{}{coordinate}", if k == 0 { "" } else { "," });
    }
    Ok(text)
}

impl Drawing {
    pub(super) fn new(limit: usize) -> Drawing {
        Drawing {
            limit,
            nodes: 0,
            tasks: Vec::new(),
            producers: HashMap::new(),
            reads: Vec::new(),
            left_out: 0,
            unnoted: 0,
            graphs: Vec::new(),
        }
    }

    /// Adds a task with its data, each with whether the task produces it.
    pub(super) fn task(&mut self, description: &str, data: impl Iterator<Item = (u64, bool)>) {
        if self.nodes >= self.limit {
            self.left_out += 1;
            return;
        }
        match self.note(description, data) {
            Ok(()) => self.nodes += 1,
            Err(_) => self.unnoted += 1,
        }
    }

    fn note(&mut self, description: &str, data: impl Iterator<Item = (u64, bool)>) -> std::result::Result<(), Error> {
        let task = self.tasks.len();
        memory::room_for(&mut self.tasks, 1)?;
        self.tasks.push(memory::text(description)?);
        for (datum, produced) in data {
            if produced {
                memory::strictly(|| self.producers.try_reserve(1))?;
                self.producers.insert(datum, task);
            } else {
                memory::room_for(&mut self.reads, 1)?;
                self.reads.push((datum, task));
            }
        }
        Ok(())
    }

    /// Begins a graph; `None` when it has too many points to be drawn, which is noted.
    pub(super) fn begin_graph(&mut self, name: &str, volume: u64) -> Option<Tiles> {
        let drawn = volume <= (self.limit - self.nodes) as u64;
        // A few lines about each are enough for graphs that run again and again.
        if !drawn && let Some(other) = self.graphs.iter_mut().find(|other| !other.drawn && other.name == name) {
            other.volume = other.volume.saturating_add(volume);
            return None;
        }
        let Ok(graph) = Tiles::new(name, volume, drawn) else {
            self.unnoted += 1;
            return None;
        };
        if drawn {
            // So that graphs which are told at the same time keep to the limit together.
            self.nodes += volume as usize;
            return Some(graph);
        }
        self.end_graph(graph);
        None
    }

    /// Adds the graph that was begun.
    pub(super) fn end_graph(&mut self, graph: Tiles) {
        match memory::room_for(&mut self.graphs, 1) {
            Ok(()) => self.graphs.push(graph),
            Err(_) => self.unnoted += 1,
        }
    }

    /// Writes the whole file.
    pub(super) fn write(&self, out: &mut impl Write) -> Result<()> {
        writeln!(out, "digraph dvm {{\n  node [shape=box];")?;
        for (task, description) in self.tasks.iter().enumerate() {
            writeln!(out, "  t{task} [label={}];", Quoted(description))?;
        }
        for (datum, reader) in &self.reads {
            if let Some(producer) = self.producers.get(datum) {
                writeln!(out, "  t{producer} -> t{reader} [tooltip=\"datum {{0, {datum}}}\"];")?;
            }
        }
        for (turn, graph) in self.graphs.iter().enumerate() {
            graph.write(out, turn, self.limit)?;
        }
        if self.left_out > 0 {
            let label = format!("{} more tasks are not drawn (DVM_DOT_NODES={})", self.left_out, self.limit);
            writeln!(out, "  left_out [shape=note, label={}];", Quoted(&label))?;
        }
        if self.unnoted > 0 {
            let label = format!("{} more tasks and graphs: there was no memory for them", self.unnoted);
            writeln!(out, "  unnoted [shape=note, label={}];", Quoted(&label))?;
        }
        writeln!(out, "}}")
    }
}

impl Tiles {
    fn write(&self, out: &mut impl Write, turn: usize, limit: usize) -> Result<()> {
        writeln!(out, "  subgraph cluster_{turn} {{\n    label={};", Quoted(&format!("graph {}", self.name)))?;
        if self.drawn {
            for (number, label) in &self.nodes {
                writeln!(out, "    g{turn}_{number} [label={}];", Quoted(label))?;
            }
            for (from, to) in &self.edges {
                writeln!(out, "    g{turn}_{from} -> g{turn}_{to};")?;
            }
            if self.partial {
                writeln!(out, "    g{turn} [shape=note, label=\"and more: there was no memory for it\"];")?;
            }
        } else {
            let label = format!("its box of {} points is not drawn (DVM_DOT_NODES={limit})", self.volume);
            writeln!(out, "    g{turn} [shape=note, label={}];", Quoted(&label))?;
        }
        writeln!(out, "  }}")
    }
}

/// A quoted text of the dot language.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\n' => f.write_str("\\n")?,
                letter if letter.is_control() => f.write_str(" ")?,
                letter => write!(f, "{letter}")?,
            }
        }
        f.write_str("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(drawing: &Drawing) -> String {
        let mut out = Vec::new();
        drawing.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn edges_go_from_producers_to_readers_whichever_comes_first() {
        let mut drawing = Drawing::new(10);
        drawing.task("reads \"early\"", [(5, false), (9, false)].into_iter());
        drawing.task("makes\n5", [(5, true)].into_iter());
        drawing.task("reads late", [(5, false)].into_iter());
        let expected = "digraph dvm {\n  node [shape=box];\n  t0 [label=\"reads \\\"early\\\"\"];\n  t1 [label=\"makes\\n5\"];\n  \
            t2 [label=\"reads late\"];\n  t1 -> t0 [tooltip=\"datum {0, 5}\"];\n  t1 -> t2 [tooltip=\"datum {0, 5}\"];\n}\n";
        assert_eq!(text(&drawing), expected);
    }

    #[test]
    fn labels_have_room_for_the_longest_coordinates() {
        let longest = label(&[i64::MIN; 8]).unwrap();
        assert_eq!(longest, [i64::MIN.to_string().as_str(); 8].join(","));
        assert!(longest.len() <= 21 * 8 && label(&[]).unwrap().is_empty() && label(&[-1, 2]).unwrap() == "-1,2");
    }

    #[test]
    fn what_there_was_no_memory_for_is_counted() {
        let mut drawing = Drawing::new(3);
        let mut graph = drawing.begin_graph("small", 2).unwrap();
        graph.partial = true;
        drawing.end_graph(graph);
        drawing.unnoted = 2;
        let text = text(&drawing);
        assert!(text.contains("label=\"and more: there was no memory for it\""), "{text}");
        assert!(text.contains("2 more tasks and graphs: there was no memory for them"), "{text}");
    }

    #[test]
    fn what_is_beyond_the_limit_is_counted() {
        let mut drawing = Drawing::new(3);
        let mut graph = drawing.begin_graph("small", 2).unwrap();
        graph.tile(0, &[0]);
        graph.tile(1, &[1]);
        graph.edge(0, 1);
        drawing.end_graph(graph);
        assert!(drawing.begin_graph("large", 2).is_none());
        assert!(drawing.begin_graph("large", 3).is_none());
        for _ in 0..4 {
            drawing.task("task", std::iter::empty());
        }
        let text = text(&drawing);
        for part in [
            "g0_0 -> g0_1;",
            "label=\"graph small\"",
            "label=\"its box of 5 points is not drawn (DVM_DOT_NODES=3)\"",
            "label=\"3 more tasks are not drawn (DVM_DOT_NODES=3)\"",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert_eq!(text.matches("label=\"task\"").count(), 1);
    }
}
