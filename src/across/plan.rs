//! The tiles of a call of a region, all of its graphs one after another, and what one tile has for another process.
//!
//! All processes make the same plan, so nobody tells anybody which elements a message has: both ends ask the region's
//! flow functions.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::Arc;

use super::layout::Owners;
use super::readers::{Search, TileBox};
use super::rows::{ElementRow, ElementRows};

/// A box of instances: host values and coordinates of the band from `first` up to, and without, `end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InstanceBox {
    pub(crate) first: Vec<i64>,
    pub(crate) end: Vec<i64>,
}

impl InstanceBox {
    /// Replaces its host values by those of a box that has no others.
    fn set_hosts(&mut self, hosts: &InstanceBox) {
        self.first[..hosts.first.len()].copy_from_slice(&hosts.first);
        self.end[..hosts.end.len()].copy_from_slice(&hosts.end);
    }
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

    /// The process that has all tiles, if one has.
    fn sole_owner(&self) -> Option<u32> {
        let whole: Vec<(i64, i64)> = self.extent.iter().map(|tiles| (0, *tiles)).collect();
        let some = whole.iter().all(|(first, end)| first < end);
        if some { self.owners.of_all(&whole) } else { None }
    }

    fn tiles_in(&self, tiles: &TileBox) -> InstanceBox {
        self.tiles(tiles.iter().map(|ends| ends.0), tiles.iter().map(|ends| ends.1))
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

    /// The box of the tiles that have this tile of the process as the gate of what they have for it, and of the tile itself. The
    /// gate of what a tile has for a process is the least tile of the process that is not before it along any carried
    /// coordinate.
    fn behind(&self, gate: &[i64], process: u32) -> Vec<(i64, i64)> {
        let first = |k: usize, last: i64| {
            if !self.carried[k] {
                return last;
            }
            self.owners.before(process, k, last).map_or(0, |before| before + 1)
        };
        gate.iter().enumerate().map(|(k, last)| (first(k, *last), last + 1)).collect()
    }
}

/// So few processes are asked one by one.
const FEW: u32 = 4;

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
    /// By graph: the process that has all of its tiles, if one has.
    sole: Vec<Option<u32>>,
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
        let sole = graphs.iter().map(Graph::sole_owner).collect();
        let together = by_phase.iter().map(|all| hosts_together(&graphs, all)).collect();
        Plan { dealt: Arc::new(DealtGraphs { graphs, processes, parts, sole, together, by_phase }), flows }
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

    /// What a tile of process `me` has for others, by their numbers; only what is not empty.
    pub(crate) fn parcels(&self, n: usize, tile: &[i64], me: u32) -> Vec<(u32, Parcel)> {
        let others = self.maybe_readers((n, tile), me, true).into_iter().filter(|to| *to != me);
        let parcels = others.map(|to| (to, self.parcel(n, tile, to)));
        parcels.filter(|(_, parcel)| !parcel.rows.is_empty()).collect()
    }

    /// Which of these processes, without `me` that asks, have tiles of the same graph that read what a tile writes.
    pub(crate) fn readers_here(&self, n: usize, tile: &[i64], me: u32, among: Vec<u32>) -> Vec<u32> {
        if among.is_empty() {
            return among;
        }
        let maybe = self.maybe_readers((n, tile), me, false);
        let reads = |to: &u32| maybe.contains(to) && self.reads_here(n, tile, *to);
        among.into_iter().filter(reads).collect()
    }

    /// Processes with tiles that may read what a tile writes, all that do among them: tiles of the same graph, or also of later
    /// ones.
    fn maybe_readers(&self, (n, tile): (usize, &[i64]), me: u32, later: bool) -> BTreeSet<u32> {
        let own = self.graphs[n].phase;
        if self.processes <= FEW {
            return (0..self.processes).collect();
        }
        let mut found = BTreeSet::from([me]);
        let from_here = self.flows.list().iter().enumerate().filter(|(_, ends)| ends.from == Some(own));
        let complete = from_here.filter_map(|(flow, ends)| Some((flow, ends.to?))).all(|(flow, phase)| {
            let after = if later { self.after(n + 1, phase) } else { &[] };
            let (hosts, after) = match (&self.together[phase], after) {
                (Some(hosts), [.., last]) if after.len() > 1 => (Some(hosts), std::slice::from_ref(last)),
                _ => (None, after),
            };
            (phase != own || self.add_readers((n, tile), flow, n, None, &mut found))
                && after.iter().all(|at| self.add_readers((n, tile), flow, *at, hosts, &mut found))
        });
        if complete { found } else { (0..self.processes).collect() }
    }

    /// Adds processes whose tiles of graph `at` may read by this flow what a tile writes; false: there are many.
    fn add_readers(
        &self,
        (n, tile): (usize, &[i64]),
        flow: usize,
        at: usize,
        hosts: Option<&InstanceBox>,
        found: &mut BTreeSet<u32>,
    ) -> bool {
        if let Some(owner) = self.sole[at] {
            found.insert(owner);
        }
        if self.sole[at].is_some() || found.len() == self.processes as usize {
            return true;
        }
        let (from, graph) = (&self.graphs[n], &self.graphs[at]);
        let writer = from.tile_box(tile);
        let near =
            ((&from.extent, &from.first, &from.step) == (&graph.extent, &graph.first, &graph.step)).then_some(tile);
        let mut ask = |tiles: &TileBox| {
            let mut reader = graph.tiles_in(tiles);
            if let Some(hosts) = hosts {
                reader.set_hosts(hosts);
            }
            let mut any = false;
            self.flows.rows(flow, &writer, &reader, &mut |row| any |= row.count > 0);
            any
        };
        let most = self.processes as usize / 8;
        let mut take = |tiles: &TileBox| graph.owners.of_all(tiles).map(|owner| found.insert(owner)).is_some();
        let whole: Vec<(i64, i64)> = graph.extent.iter().map(|tiles| (0, *tiles)).collect();
        let cut = |k| graph.owners.is_dealt(k);
        Search { cut: &cut, near, ask: &mut ask, most, take: &mut take }.run(&whole)
    }

    /// Whether tiles of another process in the same graph read what a tile writes.
    pub(crate) fn reads_here(&self, n: usize, tile: &[i64], to: u32) -> bool {
        self.read_here(n, &self.graphs[n].tile_box(tile), to)
    }

    /// The same for what a box of tiles writes.
    fn read_here(&self, n: usize, writer: &InstanceBox, to: u32) -> bool {
        let phase = Some(self.graphs[n].phase);
        let inside = |ends: &FlowEnds| ends.from == phase && ends.to == phase;
        let mut flows = self.flows.list().iter().enumerate().filter(|(_, ends)| inside(ends));
        flows.any(|(flow, _)| {
            self.parts[n][to as usize].iter().any(|reader| {
                let mut any = false;
                self.flows.rows(flow, writer, reader, &mut |row| any |= row.count > 0);
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

    /// The phase's graphs from graph `n` on.
    fn after(&self, n: usize, phase: usize) -> &[usize] {
        let all = &self.by_phase[phase];
        &all[all.partition_point(|at| *at < n)..]
    }

    /// Visits boxes around the process's tiles in the phase's graphs from graph `n` on.
    fn boxes_since(&self, n: usize, phase: usize, process: u32, mut visit: impl FnMut(&InstanceBox)) {
        let after = self.after(n, phase);
        match (&self.together[phase], after.last()) {
            (Some(hosts), Some(&last)) if after.len() > 1 => {
                for part in &self.parts[last][process as usize] {
                    let mut reader = part.clone();
                    reader.set_hosts(hosts);
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

    /// The numbers of the tiles of other processes whose parcels for this process have this tile of its as their gate.
    pub(crate) fn sources(&self, n: usize, gate: &[i64], process: u32) -> Vec<u64> {
        let graph = &self.graphs[n];
        let behind = graph.behind(gate, process);
        let mut maybe: Vec<Vec<i64>> = Vec::new();
        let mut take = |tiles: &TileBox| {
            let is_one = tiles.iter().all(|(first, end)| end - first == 1);
            if is_one {
                maybe.push(tiles.iter().map(|ends| ends.0).collect());
            }
            is_one
        };
        let mut ask = |tiles: &TileBox| self.read_here(n, &graph.tiles_in(tiles), process);
        let most = volume(&behind) / 8;
        let search = &mut Search { cut: &|k| graph.carried[k], near: Some(gate), ask: &mut ask, most, take: &mut take };
        if !search.run(&behind) {
            maybe = tiles_of(&behind);
        }
        let others = maybe.into_iter().filter(|tile| graph.owners.owner(tile) != process);
        others.filter(|tile| self.reads_here(n, tile, process)).map(|tile| graph.number(&tile)).collect()
    }
}

fn volume(tiles: &TileBox) -> usize {
    tiles.iter().map(|(first, end)| (end - first) as usize).product()
}

/// All tiles of a box, in order.
fn tiles_of(tiles: &TileBox) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![Vec::new()];
    for &(first, end) in tiles {
        all = all
            .iter()
            .flat_map(|outer| (first..end).map(move |index| outer.iter().copied().chain([index]).collect()))
            .collect();
    }
    all
}

/// A box around the host values of graphs that are equal but for these. That it has host values of no graph does no
/// harm: no instance reads there.
fn hosts_together(graphs: &[Graph], all: &[usize]) -> Option<InstanceBox> {
    let (&first, rest) = all.split_first()?;
    let first = &graphs[first];
    let mut hosts = InstanceBox { first: first.hosts.clone(), end: first.hosts.clone() };
    for graph in rest.iter().map(|at| &graphs[*at]) {
        if (&graph.extent, &graph.first, &graph.step) != (&first.extent, &first.first, &first.step)
            || graph.owners != first.owners
        {
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

#[cfg(test)]
mod tests {
    use super::super::layout::{Deal, Placement, Preference};
    use super::*;

    /// Where no `DVM_PLACE` says how tiles are dealt out, each graph's own loops do.
    #[test]
    fn graphs_whose_tiles_are_dealt_out_otherwise_are_not_taken_for_one() {
        let graph = |host: i64, deal| {
            let preference = Preference { coordinates: vec![0], cyclic: false, near: false };
            let placement = Placement { deals: vec![deal], grid: vec![] };
            Graph {
                phase: 0,
                hosts: vec![host],
                extent: vec![6, 6],
                first: vec![0, 0],
                step: vec![4, 4],
                carried: vec![false, true],
                owners: Owners::new(&[6, 6], 3, &preference, &placement),
            }
        };
        let equal = [graph(2, Deal::Block), graph(5, Deal::Block)];
        let hosts = InstanceBox { first: vec![2], end: vec![6] };
        assert_eq!(hosts_together(&equal, &[0, 1]), Some(hosts));
        let dealt_otherwise = [graph(2, Deal::Cyclic(1)), graph(5, Deal::Block)];
        assert_eq!(hosts_together(&dealt_otherwise, &[0, 1]), None);
    }
}
