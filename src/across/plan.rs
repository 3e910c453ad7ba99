//! The tiles of a call of a region, all of its graphs one after another, and what one tile has for another process.
//!
//! All processes make the same plan, so nobody tells anybody which elements a message has: both ends ask the region's
//! flow functions.

use std::ops::Deref;
use std::sync::Arc;

use super::layout::Owners;
use super::rows::{ElementRow, ElementRows};

/// A box of instances: host values and coordinates of the band from `first` up to, and without, `end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InstanceBox {
    pub(crate) first: Vec<i64>,
    pub(crate) end: Vec<i64>,
}

/// One flow of a region: values of one phase that another phase reads, or that are left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowEnds {
    /// The phase that writes; `None`: the values are there before the region.
    pub(crate) from: Option<usize>,
    /// The phase that reads; `None`: who comes after the region.
    pub(crate) to: Option<usize>,
}

/// The flow functions of a region, as exact sets.
pub(crate) trait Flows: Send + Sync {
    /// The flows.
    fn list(&self) -> &[FlowEnds];
    /// The elements of flow `flow` that instances of `writer` write and instances of `reader` read, some maybe several
    /// times; without a reader all that is left behind.
    fn rows(&self, flow: usize, writer: &InstanceBox, reader: &InstanceBox, visit: &mut dyn FnMut(ElementRow));
}

/// A graph of the call: one phase at one value of its host loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Graph {
    pub(crate) phase: usize,
    pub(crate) hosts: Vec<i64>,
    /// The number of tiles along each coordinate.
    pub(crate) extent: Vec<i64>,
    /// The coordinates of the band where tile 0 begins.
    pub(crate) first: Vec<i64>,
    /// The sizes of a tile.
    pub(crate) step: Vec<i64>,
    /// Coordinates along which tiles wait.
    pub(crate) carried: Vec<bool>,
    pub(crate) owners: Owners,
}

/// Whether process 0 has all tiles of these graphs.
pub(crate) fn are_of_the_first(graphs: &[Graph], processes: u32) -> bool {
    graphs.iter().all(|graph| (1..processes).all(|process| !graph.owners.has_tiles(process)))
}

impl Graph {
    /// How much memory it takes, in numbers.
    pub(crate) fn size(&self) -> usize {
        self.hosts.len() + 4 * self.extent.len()
    }

    /// The number of a tile in the box.
    pub(crate) fn number(&self, tile: &[i64]) -> u64 {
        self.extent.iter().zip(tile).fold(0, |number, (extent, index)| number * *extent as u64 + *index as u64)
    }

    /// The tile with a number.
    pub(crate) fn tile(&self, mut number: u64) -> Vec<i64> {
        let mut tile = vec![0; self.extent.len()];
        for (index, extent) in tile.iter_mut().zip(&self.extent).rev() {
            *index = (number % *extent as u64) as i64;
            number /= *extent as u64;
        }
        tile
    }

    /// The box of the tiles from `from` up to, and without, `end` along each coordinate.
    fn tiles(&self, from: impl Iterator<Item = i64>, end: impl Iterator<Item = i64>) -> InstanceBox {
        let place = |(k, index): (usize, i64)| self.first[k] + index * self.step[k];
        InstanceBox {
            first: self.hosts.iter().copied().chain(from.enumerate().map(place)).collect(),
            end: self.hosts.iter().map(|host| host + 1).chain(end.enumerate().map(place)).collect(),
        }
    }

    fn tile_box(&self, tile: &[i64]) -> InstanceBox {
        self.tiles(tile.iter().copied(), tile.iter().map(|index| index + 1))
    }

    /// Boxes around all tiles of a process.
    fn parts(&self, process: u32) -> Vec<InstanceBox> {
        if !self.owners.has_tiles(process) {
            return Vec::new();
        }
        let mut boxes: Vec<Vec<(i64, i64)>> = vec![Vec::new()];
        for k in 0..self.extent.len() {
            let runs = self.owners.runs(process, k);
            boxes = boxes
                .iter()
                .flat_map(|outer| runs.iter().map(move |run| outer.iter().copied().chain([*run]).collect()))
                .collect();
        }
        boxes.iter().map(|ends| self.tiles(ends.iter().map(|run| run.0), ends.iter().map(|run| run.1))).collect()
    }

    /// All tiles of a process, in order.
    pub(crate) fn own(&self, process: u32) -> Vec<Vec<i64>> {
        if !self.owners.has_tiles(process) {
            return Vec::new();
        }
        let mut tiles: Vec<Vec<i64>> = vec![Vec::new()];
        for k in 0..self.extent.len() {
            let runs = self.owners.runs(process, k);
            let indices = || runs.iter().flat_map(|(first, end)| *first..*end);
            tiles = tiles
                .iter()
                .flat_map(|outer| indices().map(move |index| outer.iter().copied().chain([index]).collect()))
                .collect();
        }
        tiles
    }

    /// The step, the index along the first carried coordinate, of the gate of what a tile has for a process.
    pub(crate) fn gate_step(&self, tile: &[i64], process: u32) -> i64 {
        let along = self.carried.iter().position(|carried| *carried);
        along.map_or(0, |k| self.owners.from(process, k, tile[k]).unwrap_or(tile[k]))
    }

    /// The tiles that have this tile of the process as the gate of what they have for it, and the tile itself. The gate of
    /// what a tile has for a process is the least tile of the process that is not before it along any carried coordinate.
    fn behind(&self, gate: &[i64], process: u32) -> Vec<Vec<i64>> {
        let mut tiles: Vec<Vec<i64>> = vec![Vec::new()];
        for (k, &last) in gate.iter().enumerate() {
            let first = if self.carried[k] { self.owners.before(process, k, last).map_or(0, |b| b + 1) } else { last };
            tiles = tiles
                .iter()
                .flat_map(|outer| (first..=last).map(move |index| outer.iter().copied().chain([index]).collect()))
                .collect();
        }
        tiles
    }
}

/// What a tile has for a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parcel {
    pub(crate) rows: ElementRows,
    /// A tile of the same graph reads some of it: it waits at the gate. Else it waits for the graph's end.
    pub(crate) gated: bool,
}

/// Boxes of tiles of one process that are asked about together.
type Readers = Vec<InstanceBox>;

/// All graphs of a call, and whose their tiles are.
pub(crate) struct DealtGraphs {
    pub(crate) graphs: Vec<Graph>,
    pub(crate) processes: u32,
    /// By graph and process: its tiles.
    parts: Vec<Vec<Readers>>,
    /// By phase: its graphs, if they have equal boxes: then one box stands for all of them. Else one by one.
    together: Vec<Option<InstanceBox>>,
    by_phase: Vec<Vec<usize>>,
}

/// The graphs of a call, with the flows between their tiles.
pub(crate) struct Plan {
    dealt: Arc<DealtGraphs>,
    flows: Box<dyn Flows>,
}

impl Deref for Plan {
    type Target = DealtGraphs;

    fn deref(&self) -> &DealtGraphs {
        &self.dealt
    }
}

impl Plan {
    pub(crate) fn new(graphs: Vec<Graph>, processes: u32, flows: Box<dyn Flows>) -> Plan {
        let parts = graphs.iter().map(|graph| (0..processes).map(|process| graph.parts(process)).collect()).collect();
        let phases = flows.list().iter().map(|ends| ends.from.max(ends.to).unwrap_or(0) + 1);
        let phases = phases.chain(graphs.iter().map(|graph| graph.phase + 1)).max().unwrap_or(0);
        let mut by_phase = vec![Vec::new(); phases];
        for (n, graph) in graphs.iter().enumerate() {
            by_phase[graph.phase].push(n);
        }
        let together = by_phase.iter().map(|all| hosts_together(&graphs, all)).collect();
        Plan { dealt: Arc::new(DealtGraphs { graphs, processes, parts, together, by_phase }), flows }
    }

    /// The graphs of an earlier call with equal flows.
    pub(crate) fn again(dealt: &Arc<DealtGraphs>, flows: Box<dyn Flows>) -> Plan {
        Plan { dealt: Arc::clone(dealt), flows }
    }

    pub(crate) fn dealt(&self) -> &Arc<DealtGraphs> {
        &self.dealt
    }

    /// What a tile has for another process: for its tiles of this graph and of all later ones.
    pub(crate) fn parcel(&self, n: usize, tile: &[i64], to: u32) -> Parcel {
        let graph = &self.graphs[n];
        let writer = graph.tile_box(tile);
        let mut parcel = Parcel::default();
        let flows = || self.flows.list().iter().enumerate().filter(|(_, ends)| ends.from == Some(graph.phase));
        for (flow, _) in flows().filter(|(_, ends)| ends.to == Some(graph.phase)) {
            for reader in &self.parts[n][to as usize] {
                self.flows.rows(flow, &writer, reader, &mut |row| parcel.rows.add(row));
            }
        }
        parcel.gated = !parcel.rows.is_empty();
        for (flow, ends) in flows() {
            let Some(phase) = ends.to else { continue };
            self.boxes_since(n + 1, phase, to, |reader| {
                self.flows.rows(flow, &writer, reader, &mut |row| parcel.rows.add(row));
            });
        }
        parcel.rows.unite();
        parcel
    }

    /// Whether tiles of another process in the same graph read what a tile writes.
    pub(crate) fn reads_here(&self, n: usize, tile: &[i64], to: u32) -> bool {
        let phase = Some(self.graphs[n].phase);
        let writer = self.graphs[n].tile_box(tile);
        let inside = |ends: &FlowEnds| ends.from == phase && ends.to == phase;
        let mut flows = self.flows.list().iter().enumerate().filter(|(_, ends)| inside(ends));
        flows.any(|(flow, _)| {
            self.parts[n][to as usize].iter().any(|reader| {
                let mut any = false;
                self.flows.rows(flow, &writer, reader, &mut |row| any |= row.count > 0);
                any
            })
        })
    }

    /// What the tiles of a process read from before the region.
    pub(crate) fn entering(&self, process: u32) -> ElementRows {
        let (nobody, mut rows) = (InstanceBox::default(), ElementRows::default());
        for (flow, ends) in self.flows.list().iter().enumerate() {
            let (None, Some(phase)) = (ends.from, ends.to) else { continue };
            self.boxes_since(0, phase, process, |reader| {
                self.flows.rows(flow, &nobody, reader, &mut |row| rows.add(row));
            });
        }
        rows.unite();
        rows
    }

    /// Visits boxes around the process's tiles in the phase's graphs from graph `n` on.
    fn boxes_since(&self, n: usize, phase: usize, process: u32, mut visit: impl FnMut(&InstanceBox)) {
        let all = &self.by_phase[phase];
        let after = &all[all.partition_point(|at| *at < n)..];
        match (&self.together[phase], after.last()) {
            (Some(hosts), Some(&last)) if after.len() > 1 => {
                for part in &self.parts[last][process as usize] {
                    let mut reader = part.clone();
                    reader.first[..hosts.first.len()].copy_from_slice(&hosts.first);
                    reader.end[..hosts.end.len()].copy_from_slice(&hosts.end);
                    visit(&reader);
                }
            }
            _ => after.iter().flat_map(|at| &self.parts[*at][process as usize]).for_each(visit),
        }
    }

    /// What a tile leaves behind.
    pub(crate) fn left(&self, n: usize, tile: &[i64]) -> ElementRows {
        let graph = &self.graphs[n];
        let (writer, nobody) = (graph.tile_box(tile), InstanceBox::default());
        let mut rows = ElementRows::default();
        for (flow, ends) in self.flows.list().iter().enumerate() {
            if ends.from == Some(graph.phase) && ends.to.is_none() {
                self.flows.rows(flow, &writer, &nobody, &mut |row| rows.add(row));
            }
        }
        rows.unite();
        rows
    }

    /// What all tiles of a process leave behind.
    pub(crate) fn left_by(&self, process: u32) -> ElementRows {
        let (nobody, mut rows) = (InstanceBox::default(), ElementRows::default());
        for (flow, ends) in self.flows.list().iter().enumerate() {
            let (Some(phase), None) = (ends.from, ends.to) else { continue };
            self.boxes_since(0, phase, process, |writer| {
                self.flows.rows(flow, writer, &nobody, &mut |row| rows.add(row));
            });
        }
        rows.unite();
        rows
    }

    /// The tiles of other processes whose parcels for this process have this tile of its as their gate.
    pub(crate) fn sources(&self, n: usize, gate: &[i64], process: u32) -> Vec<(Vec<i64>, Parcel)> {
        let graph = &self.graphs[n];
        let others = graph.behind(gate, process).into_iter().filter(|tile| graph.owners.owner(tile) != process);
        others
            .map(|tile| {
                let parcel = self.parcel(n, &tile, process);
                (tile, parcel)
            })
            .filter(|(_, parcel)| parcel.gated)
            .collect()
    }
}

/// A box around the host values of graphs that are equal but for these. That it has host values of no graph does no
/// harm: no instance reads there.
fn hosts_together(graphs: &[Graph], all: &[usize]) -> Option<InstanceBox> {
    let (&first, rest) = all.split_first()?;
    let first = &graphs[first];
    let mut hosts = InstanceBox { first: first.hosts.clone(), end: first.hosts.clone() };
    for graph in rest.iter().map(|at| &graphs[*at]) {
        if (&graph.extent, &graph.first, &graph.step) != (&first.extent, &first.first, &first.step) {
            return None;
        }
        for (k, host) in graph.hosts.iter().enumerate() {
            hosts.first[k] = hosts.first[k].min(*host);
            hosts.end[k] = hosts.end[k].max(*host);
        }
    }
    hosts.end.iter_mut().for_each(|end| *end += 1);
    Some(hosts)
}

/// By what a worker takes ready tiles: the first carried coordinate first, then those that are not dealt out. Along those that
/// are, a process runs through to the end of its part, so that the next process can begin after a few tiles.
pub(crate) fn priority(graph: &Graph, tile: &[i64]) -> Vec<i64> {
    let first = graph.carried.iter().position(|carried| *carried).unwrap_or(0);
    let along = |dealt: bool| {
        let other = move |(k, _): &(usize, &i64)| *k != first && graph.owners.is_dealt(*k) == dealt;
        tile.iter().enumerate().filter(other).map(|(_, index)| *index)
    };
    tile.get(first).copied().into_iter().chain(along(false)).chain(along(true)).collect()
}
