//! The progress of a graph, for explanations. Reading it stops no worker and calls no function of the program; it may
//! change before it is printed.

use std::sync::atomic::Ordering;

use super::{Running, WorkerTiles};
use crate::engine::{Account, Missed, WaitingTile};

/// Maximum number of waiting tiles to list; all are counted.
const TOLD: usize = 16;

/// Maximum number of steps along a tile's predecessors to find out whether the tile has been reached.
const STEPS: u64 = 1_000;

impl Running {
    /// Number of tiles that have ended: chains ended by their last tile, plus tiles that another one followed.
    pub(crate) fn ended(&self) -> u64 {
        self.sum(|counts| &counts.ended) + self.sum(|counts| &counts.followed)
    }

    pub(crate) fn account(&self) -> Account {
        let ended = self.ended();
        let created = self.sum(|counts| &counts.created) + self.sum(|counts| &counts.followed);
        let on = |(worker, mine): (usize, &WorkerTiles)| {
            Some((worker, mine.counts.running.load(Ordering::Acquire).checked_sub(1)?))
        };
        let running: Vec<(usize, u64)> = self.workers.iter().enumerate().filter_map(on).collect();
        let (waiting, told) = self.pending.some(TOLD);
        Account {
            name: self.name.clone(),
            volume: self.space.volume(),
            general: self.callbacks.tells_edges(),
            bounded: self.callbacks.tells_bounds(),
            ended,
            ready: created.saturating_sub(ended).saturating_sub(running.len() as u64),
            running: running.iter().map(|&(worker, number)| (worker, self.coordinates(number))).collect(),
            waiting: waiting as u64,
            told: told.iter().map(|&(number, missing)| self.waiting_tile(number, missing, &running)).collect(),
        }
    }

    fn coordinates(&self, number: u64) -> Vec<i64> {
        self.space.tile(number)[..self.space.dimension()].to_vec()
    }

    fn waiting_tile(&self, number: u64, missing: u64, running: &[(usize, u64)]) -> WaitingTile {
        let tile = self.space.tile(number);
        if self.callbacks.tells_bounds() {
            // Only the program's function knows which predecessors there are.
            return WaitingTile { tile: self.coordinates(number), missing, missed: Vec::new() };
        }
        let before = self.carried.iter().filter(|&&k| self.space.index(&tile, k) > 0);
        let before = before.map(|&k| number - self.space.stride(k));
        let missed = before.filter_map(|number| Some((self.coordinates(number), self.missed(number, running)?)));
        WaitingTile { tile: self.coordinates(number), missing, missed: missed.collect() }
    }

    /// Why a predecessor along a carried coordinate has not run; `None`: it has run, or is ready.
    fn missed(&self, number: u64, running: &[(usize, u64)]) -> Option<Missed> {
        let mut at = number;
        for _ in 0..STEPS {
            let why = match running.iter().find(|&&(_, tile)| tile == at) {
                Some(&(worker, _)) => Some(Missed::Runs(worker)),
                None => self.pending.missing(at).map(|_| Missed::Waits),
            };
            if why.is_some() {
                return if at == number { why } else { Some(Missed::Unreached) };
            }
            // A tile that is neither running nor waiting has either run or not been reached, and it has been reached if
            // and only if any one of its predecessors has run.
            let tile = self.space.tile(at);
            at -= self.space.stride(*self.carried.iter().find(|&&k| self.space.index(&tile, k) > 0)?);
        }
        None
    }
}
