//! A loop of tiles that wait for each other, as rows along one carried coordinate: a row's tiles run one after another, and
//! rows run at the same time, each a little behind the rows that it waits for (a *doacross* loop).

use std::sync::atomic::{AtomicBool, Ordering};

use super::space::Space;
use crate::idle::rows::Rows;

/// The number of rows of a loop up to which progress is kept for each.
const MOST_ROWS: u64 = 1 << 12;

/// A coordinate that tells rows apart.
struct Across {
    /// Rows from one value of the coordinate to the next.
    rows: u64,
    /// Tiles' numbers from one value to the next.
    tiles: u64,
    /// A tile waits for the tile with the value before.
    carried: bool,
}

/// The rows of a box of tiles.
pub(super) struct Pipeline {
    across: Vec<Across>,
    rows: u64,
    length: u64,
    /// Tiles' numbers from one tile of a row to the next.
    step: u64,
    /// No row waits for another one.
    independent: bool,
    ended: Rows,
}

impl Pipeline {
    /// Rows along the last carried coordinate, which is the one where a thread meets again what it has just written;
    /// `None`: there are too many, or nothing is carried.
    pub(super) fn new(space: &Space, carried: &[bool]) -> Option<Pipeline> {
        let along = carried.iter().rposition(|&carried| carried)?;
        let mut rows = 1;
        let mut across: Vec<Across> = Vec::new();
        for k in (0..space.dimension()).rev().filter(|&k| k != along) {
            across.push(Across { rows, tiles: space.stride(k), carried: carried[k] });
            rows *= space.extent(k);
        }
        if rows > MOST_ROWS {
            return None;
        }
        across.reverse();
        Some(Pipeline {
            independent: !across.iter().any(|across| across.carried),
            across,
            rows,
            length: space.extent(along),
            step: space.stride(along),
            ended: Rows::new(rows as usize),
        })
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn is_independent(&self) -> bool {
        self.independent
    }

    /// Tiles that have ended.
    pub(super) fn ended(&self) -> u64 {
        (0..self.rows as usize).map(|row| self.ended.ended(row)).sum()
    }

    /// Runs the tiles of a row by their numbers, each after those that it waits for, until `stopped` is set.
    pub(super) fn run(&self, row: u64, stopped: &AtomicBool, mut tile: impl FnMut(u64)) {
        let (mut left, mut first) = (row, 0);
        let mut before = Vec::new();
        for across in &self.across {
            let index = left / across.rows;
            left %= across.rows;
            first += index * across.tiles;
            if across.carried && index > 0 {
                before.push((row - across.rows) as usize);
            }
        }
        for step in 0..self.length {
            for &before in &before {
                if !self.ended.wait(before, step + 1, || stopped.load(Ordering::Relaxed)) {
                    return;
                }
            }
            tile(first + step * self.step);
            self.ended.advance(row as usize, step + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Runs all rows by some threads; returns the tiles in an order in which they may have ended.
    fn order(space: &Space, carried: &[bool], threads: usize) -> Vec<u64> {
        let pipeline = Pipeline::new(space, carried).expect("rows");
        let (next, ended, stopped) = (AtomicU64::new(0), Mutex::new(Vec::new()), AtomicBool::new(false));
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    while let row = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
                        && row < pipeline.rows()
                    {
                        pipeline.run(row, &stopped, |tile| ended.lock().expect("lock").push(tile));
                    }
                });
            }
        });
        assert_eq!(pipeline.ended(), space.volume());
        ended.into_inner().expect("lock")
    }

    #[test]
    fn each_tile_runs_once_and_after_those_that_it_waits_for() {
        for carried in [[true, true, true], [false, true, true], [true, false, true], [true, true, false]]
            .into_iter()
            .chain([[true, false, false], [false, true, false], [false, false, true]])
        {
            for (upper, threads) in [([2, 3, 4], 3), ([0, 5, 1], 2), ([4, 0, 3], 2), ([3, 2, 0], 1)] {
                let space = Space::new(&[0; 3], &upper).expect("space");
                let order = order(&space, &carried, threads);
                let mut at = vec![usize::MAX; space.volume() as usize];
                for (position, &tile) in order.iter().enumerate() {
                    assert_eq!(at[tile as usize], usize::MAX, "{carried:?} {upper:?}: twice");
                    at[tile as usize] = position;
                }
                assert_eq!(order.len(), at.len());
                for number in 0..space.volume() {
                    for k in (0..3).filter(|&k| carried[k]) {
                        let mut before = space.tile(number);
                        before[k] -= 1;
                        if let Some(before) = space.number(&before[..3]) {
                            assert!(at[before as usize] < at[number as usize], "{carried:?} {upper:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn rows_run_along_the_last_carried_coordinate() {
        let space = Space::new(&[0; 2], &[7, 9]).expect("space");
        let rows = |carried: &[bool]| Pipeline::new(&space, carried).map(|p| (p.rows(), p.is_independent()));
        assert_eq!(rows(&[true, true]), Some((8, false)));
        assert_eq!(rows(&[true, false]), Some((10, true)));
        assert_eq!(rows(&[false, true]), Some((8, true)));
        assert_eq!(rows(&[false, false]), None);
        let large = Space::new(&[0; 2], &[MOST_ROWS as i64, 9]).expect("space");
        assert!(Pipeline::new(&large, &[true, true]).is_none());
    }

    #[test]
    fn a_stop_ends_rows_that_wait() {
        let space = Space::new(&[0; 2], &[1, 4]).expect("space");
        let pipeline = Pipeline::new(&space, &[true, true]).expect("rows");
        let stopped = AtomicBool::new(true);
        pipeline.run(1, &stopped, |_| panic!("row 0 has not run"));
        assert_eq!(pipeline.ended(), 0);
    }
}
