//! Which tile of a graph waits for which, noted when a graph begins.

use crate::sync::lock::Mutex;
use crate::trace::dot::Tiles;

/// Graphs of more points are not noted: to tell all their edges would take long before the first tile runs.
const MOST_POINTS: u64 = 20_000;

/// So many points of all graphs together are noted.
const MOST_OF_ALL: u64 = 1_000_000;

#[derive(Debug, Default)]
pub(in crate::trace) struct TileGraphs {
    pub(in crate::trace) noted: Mutex<NotedGraphs>,
}

#[derive(Debug, Default)]
pub(in crate::trace) struct NotedGraphs {
    pub(in crate::trace) runs: Vec<GraphRun>,
    points: u64,
    /// Runs whose edges are not known.
    pub(in crate::trace) left_out: u64,
}

/// One run of a graph.
#[derive(Debug)]
pub(in crate::trace) struct GraphRun {
    pub(in crate::trace) name: String,
    /// When it began, in units of the trace's clock.
    pub(in crate::trace) begin: u64,
    /// `None`: not known.
    pub(in crate::trace) tiles: Option<Tiles>,
}

impl TileGraphs {
    /// Notes a graph; `tell` tells its tiles, without a lock.
    pub(in crate::trace) fn note(
        &self,
        name: &str,
        volume: u64,
        tell: impl FnOnce(&mut Tiles),
        now: impl FnOnce() -> u64,
    ) {
        let fits = {
            let mut noted = self.noted.lock();
            let fits = volume <= MOST_POINTS && noted.points + volume <= MOST_OF_ALL;
            noted.points += if fits { volume } else { 0 };
            fits
        };
        let mut tiles = Tiles::new(name, volume, true).ok().filter(|_| fits);
        if let Some(tiles) = &mut tiles {
            tell(tiles);
        }
        let tiles = tiles.filter(Tiles::complete);
        let mut noted = self.noted.lock();
        noted.left_out += u64::from(tiles.is_none());
        noted.runs.push(GraphRun { name: name.to_owned(), begin: now(), tiles });
    }
}
