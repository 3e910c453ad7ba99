//! Graphs whose coordinates bound each other: their roots and edges.
//!
//! A candidate is a slice: all points with one value of the first coordinate. Its rows are walked by their ends, so the
//! search costs time for the graph's points, not for its box.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::super::shape::GraphShape;
use super::super::space::{MAX_DIMENSION, Tile};
use super::super::worker_tiles::bump;
use super::{Host, Position, Released, Running};
use crate::error::{Error, dvm_retcode_t};

impl Running {
    fn shape(&self) -> GraphShape<'_> {
        GraphShape { space: &self.space, callbacks: &self.callbacks }
    }

    /// An answer of the graph's functions, or `otherwise` when one threw: then the graph fails.
    fn told<T>(&self, answer: Result<T, Error>, tile: &Tile, otherwise: T) -> T {
        answer.unwrap_or_else(|message| {
            self.fail(dvm_retcode_t::DVM_ERR_TASK, tile, message.message());
            otherwise
        })
    }

    /// Searches slices up to the first with tiles without predecessors: `at` is one of them, all may take the others.
    /// Returns the end of the checked range, and whether there is one.
    pub(super) fn scan_slices<H: Host>(
        &self,
        worker: usize,
        candidates: &Range<u64>,
        at: &mut Position,
        host: &H,
    ) -> (u64, bool) {
        let mine = &self.workers[worker];
        let (mut past, mut roots) = (candidates.start, 0);
        while roots == 0 && past < candidates.end {
            roots = self.scan_slice(worker, past, at);
            past += 1;
        }
        bump(&mine.counts.rooted, roots);
        bump(&mine.counts.scanned, past - candidates.start);
        mine.unsettle();
        if roots > 1 {
            host.work_ready();
        }
        (past, roots > 0)
    }

    /// Finds the tiles without predecessors of one slice: `at` is the first, the others are offered. Returns how many.
    fn scan_slice(&self, worker: usize, slice: u64, at: &mut Position) -> u64 {
        let (mine, shape, dimension) = (&self.workers[worker], self.shape(), self.space.dimension());
        let (mut tile, mut roots) = ([0; MAX_DIMENSION], 0);
        let sliced = dimension.min(1);
        if sliced > 0 {
            tile[0] = self.space.ends(0)[0] + slice as i64;
        }
        // In a carried row, all points but the first have a predecessor.
        let firsts = dimension > sliced && self.carried.last() == Some(&(dimension - 1));
        let walked = shape.walk(&mut tile, sliced, firsts, &mut |tile| {
            if self.stopped.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if shape.predecessors(tile, &self.carried)? > 0 {
                return Ok(true);
            }
            let Some(number) = self.space.number(&tile[..dimension]) else { return Ok(true) };
            bump(&mine.counts.created, 1);
            if roots == 0 {
                (at.number, at.tile) = (number, *tile);
            } else {
                self.push(mine, number);
            }
            roots += 1;
            Ok(true)
        });
        self.told(walked, &tile, false);
        roots
    }

    /// Notifies the points after a tile along the carried coordinates that it has run.
    pub(super) fn release_bounded(&self, at: &Position, released: &mut Released) {
        let (table, shape, mut tile) = (self.pending.table_in_use(), self.shape(), at.tile);
        for &k in &self.carried {
            if !self.told(shape.has_next(&at.tile, k), &at.tile, false) {
                continue;
            }
            tile[k] += 1;
            let successor = at.number + self.space.stride(k);
            let total = || self.told(shape.predecessors(&tile, &self.carried), &tile, 1);
            if self.pending.arrive(table, successor, total) {
                self.make_ready(released, successor, &tile[..self.space.dimension()]);
            }
            tile[k] -= 1;
        }
    }
}
