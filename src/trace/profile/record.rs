//! What the books of a session have, in nanoseconds, and what follows from it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::occupancy::{self, Occupancy};
use crate::error::Error;
use crate::trace::chains::{self, Chains, DatumOfTask};
use crate::trace::dot::Tiles;
use crate::trace::line::{GraphTiles, Line, lines, runs};
use crate::trace::noted::{Noted, NotedRedistributions, TileBytesByName};
use crate::trace::ring::{Event, Kind};
use crate::trace::session::Session;
use crate::trace::summary::ProcessSummary;
use crate::trace::tally::Sum;

/// The run of one process, as the report tells it. Times are in nanoseconds since its trace began.
pub(super) struct RunRecord {
    /// When the trace began: 0, or in a job the time since its epoch, by process 0's clock.
    pub(super) begin: u64,
    pub(super) summary: ProcessSummary,
    pub(super) lines: Vec<Line>,
    pub(super) kinds: Vec<KindSums>,
    pub(super) memory: Vec<(u64, u64)>,
    /// Runs of graphs whose edges are not known.
    pub(super) unknown_graphs: u64,
    pub(super) chains: Chains,
    pub(super) occupancy: Occupancy,
    pub(super) redistributions: NotedRedistributions,
    /// Regions that ran without tiles: their names, and how often at least.
    pub(super) plain: Vec<(u32, u64)>,
    /// In a job, the data that tasks have made and read.
    pub(super) data_of_tasks: Option<(Vec<DatumOfTask>, Vec<DatumOfTask>)>,
}

/// Sums of one processing, or of the tiles of one graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KindSums {
    pub(super) tiles: bool,
    /// The number of its name.
    pub(super) name: u32,
    /// All, also those whose events were dropped.
    pub(super) time: Sum,
    /// Of the events that are left: bytes of arguments, and how many were the first that a worker ran of another's work.
    pub(super) read: u64,
    pub(super) written: u64,
    pub(super) stolen: u64,
    /// Of tiles: the bytes that they touch, each as one that nothing is cut off of; `None`: not known of all.
    pub(super) touched: Option<u64>,
}

impl RunRecord {
    pub(super) fn of(session: &Session, noted: &Noted) -> Result<RunRecord, Error> {
        let times = session.times();
        let begin = times.nanoseconds(0);
        let since = |units: u64| times.nanoseconds(units).saturating_sub(begin);
        let summary = ProcessSummary::of(session);
        let lines = lines(session, since)?;
        let memory = session.memory.list().into_iter().map(|(time, bytes)| (since(time), bytes)).collect();
        let (runs, unknown_graphs) = {
            let noted = noted.graphs.noted.lock();
            let runs: Vec<GraphTiles> = noted
                .runs
                .iter()
                .filter_map(|run| {
                    let (labels, edges) = run.tiles.as_ref().map_or((&[][..], &[][..]), Tiles::parts);
                    let name = summary.names.iter().position(|name| *name == run.name)? as u32;
                    let begin = since(run.begin);
                    Some(GraphTiles { name, begin, labels: labels.to_vec(), edges: edges.to_vec() })
                })
                .collect();
            (runs, noted.left_out)
        };
        let redistributions = noted.redistributions.noted();
        let tile_bytes = noted.tile_bytes.noted(since);
        let data_of_tasks = session.job.map(|job| chains::data_of_tasks(&lines, job.process.into()));
        Ok(RunRecord {
            begin,
            redistributions,
            plain: noted.plain_entries.noted(),
            data_of_tasks,
            ..RunRecord::from(summary, lines, memory, (&runs, unknown_graphs), &tile_bytes)
        })
    }

    /// The record of these events.
    pub(super) fn from(
        summary: ProcessSummary,
        lines: Vec<Line>,
        memory: Vec<(u64, u64)>,
        (runs, unknown_graphs): (&[GraphTiles], u64),
        tile_bytes: &TileBytesByName,
    ) -> RunRecord {
        let kinds = kinds(&summary, &lines, tile_bytes);
        let chains = chains::find(&lines, summary.process.into(), runs);
        let occupancy = occupancy::find(&lines, summary.elapsed);
        let redistributions = NotedRedistributions::default();
        RunRecord {
            begin: 0,
            summary,
            lines,
            kinds,
            memory,
            unknown_graphs,
            chains,
            occupancy,
            redistributions,
            plain: Vec::new(),
            data_of_tasks: None,
        }
    }

    /// The name of a kind.
    pub(super) fn name(&self, number: u32) -> &str {
        self.summary.names.get(number as usize).map_or("", String::as_str)
    }

    pub(super) fn workers(&self) -> usize {
        self.lines.iter().filter(|line| line.worker).count()
    }

    /// Time of a worker in tasks and tiles, by its number.
    pub(super) fn busy_of(&self, line: usize) -> u64 {
        self.lines[line].busy(self.summary.rows[line].1.busy(), self.summary.elapsed)
    }

    /// The same of all workers.
    pub(super) fn busy(&self) -> u64 {
        (0..self.workers()).map(|line| self.busy_of(line)).sum()
    }

    pub(super) fn dropped(&self) -> u64 {
        self.lines.iter().map(|line| line.dropped).sum()
    }
}

/// Sums by kind, those that took most time first.
fn kinds(summary: &ProcessSummary, lines: &[Line], tile_bytes: &TileBytesByName) -> Vec<KindSums> {
    let mut all: BTreeMap<(bool, u32), KindSums> = BTreeMap::new();
    for (_, tally) in &summary.rows {
        for (tiles, sums) in [(false, &tally.tasks), (true, &tally.tiles)] {
            for (&name, sum) in sums {
                let kind = all.entry((tiles, name)).or_default();
                (kind.tiles, kind.name, kind.touched) = (tiles, name, tiles.then_some(0));
                kind.time.merge(*sum);
            }
        }
    }
    for line in lines {
        for argument in &line.arguments {
            let kind = all.entry((false, line.events[argument.task].subject)).or_default();
            *(if argument.produced { &mut kind.written } else { &mut kind.read }) += argument.bytes;
        }
        let mut stolen = false;
        for event in &line.events {
            if event.kind == Kind::Steal {
                stolen = true;
            } else if runs(event) {
                let kind = all.entry((event.kind == Kind::Tile, event.subject)).or_default();
                kind.stolen += u64::from(std::mem::take(&mut stolen));
                if kind.tiles {
                    let more = bytes_at(tile_bytes, event);
                    kind.touched = kind.touched.zip(more).map(|(touched, more)| touched.saturating_add(more));
                }
            }
        }
    }
    let mut all: Vec<KindSums> = all.into_values().collect();
    all.sort_by_key(|kind| (Reverse(kind.time.total), kind.tiles, kind.name));
    all
}

/// How many bytes this tile touches, as far as that was noted before it began.
fn bytes_at(tile_bytes: &TileBytesByName, tile: &Event) -> Option<u64> {
    let changes = tile_bytes.get(&tile.subject)?;
    let before = changes.partition_point(|&(from, _)| from <= tile.start);
    Some(changes[before.checked_sub(1)?].1)
}
