//! The points of a box that a graph has, where its coordinates bound each other.
//!
//! A skewed or triangular band has far fewer tiles than the box around it. No loop here runs over that box: the ends of
//! a coordinate follow from the coordinates before it.

use super::callbacks::Callbacks;
use super::space::{Space, Tile};
use crate::error::Error;

/// A graph's box and the function that narrows it.
#[derive(Clone, Copy)]
pub(super) struct GraphShape<'a> {
    pub(super) space: &'a Space,
    pub(super) callbacks: &'a Callbacks,
}

impl GraphShape<'_> {
    /// The least and the greatest value of coordinate `k` beside the coordinates before it.
    fn ends(&self, k: usize, tile: &Tile) -> Result<[i64; 2], Error> {
        let whole = self.space.ends(k);
        let mut ends = whole;
        if k > 0 {
            self.callbacks.narrow(k, tile, &mut ends)?;
        }
        Ok([ends[0].max(whole[0]), ends[1].min(whole[1])])
    }

    /// Whether a point of the box is in the graph; its coordinates before `from` are known to be within their ends.
    pub(super) fn holds(&self, tile: &Tile, from: usize) -> Result<bool, Error> {
        for k in from..self.space.dimension() {
            let [least, greatest] = self.ends(k, tile)?;
            if !(least..=greatest).contains(&tile[k]) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the point after `tile` along coordinate `k` is in the graph, as `tile` is.
    pub(super) fn has_next(&self, tile: &Tile, k: usize) -> Result<bool, Error> {
        let mut next = *tile;
        next[k] += 1;
        Ok(tile[k] < self.space.ends(k)[1] && self.holds(&next, k)?)
    }

    /// The number of points of the graph just before `tile` along the carried coordinates.
    pub(super) fn predecessors(&self, tile: &Tile, carried: &[usize]) -> Result<u64, Error> {
        let (mut before, mut count) = (*tile, 0);
        for &k in carried {
            if tile[k] > self.space.ends(k)[0] {
                before[k] -= 1;
                count += u64::from(self.holds(&before, k)?);
                before[k] += 1;
            }
        }
        Ok(count)
    }

    /// Visits the points with the coordinates of `tile` before `k`, in order; of each row only the first point if
    /// `firsts`. Ends early when `visit` returns false.
    pub(super) fn walk(
        &self,
        tile: &mut Tile,
        k: usize,
        firsts: bool,
        visit: &mut dyn FnMut(&Tile) -> Result<bool, Error>,
    ) -> Result<bool, Error> {
        if k == self.space.dimension() {
            return visit(tile);
        }
        let [least, greatest] = self.ends(k, tile)?;
        let last = if firsts && k + 1 == self.space.dimension() { least.min(greatest) } else { greatest };
        for coordinate in least..=last {
            tile[k] = coordinate;
            if !self.walk(tile, k + 1, firsts, visit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
