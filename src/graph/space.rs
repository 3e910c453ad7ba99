//! The box of a graph's tile coordinates, and the numbering of tiles.

use crate::error::{Error, dvm_retcode_t};

/// Maximum number of coordinates of a graph (`DVM_GRAPH_MAX_DIMENSION`).
pub(crate) const MAX_DIMENSION: usize = 16;

/// Coordinates of one tile; only the first `dimension` are used.
pub(crate) type Tile = [i64; MAX_DIMENSION];

/// The range of a coordinate, and its stride in the numbering.
#[derive(Debug, Clone, Copy)]
struct Axis {
    lower: i64,
    extent: u64,
    stride: u64,
}

impl Axis {
    /// A coordinate's contribution to the number of a point; `None` if it is outside.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: several times for each edge")]
    fn part(&self, coordinate: i64) -> Option<u64> {
        let index = coordinate.wrapping_sub(self.lower) as u64;
        // Outside, the product may wrap: it isn't used.
        (coordinate >= self.lower && index < self.extent).then_some(index.wrapping_mul(self.stride))
    }
}

/// A box of integer points, numbered from 0 in lexicographic order.
#[derive(Debug, Clone)]
pub(crate) struct Space {
    axes: [Axis; MAX_DIMENSION],
    dimension: usize,
    volume: u64,
}

impl Space {
    /// The box `lower ..= upper`; empty when an upper bound is below its lower bound.
    pub(crate) fn new(lower: &[i64], upper: &[i64]) -> Result<Self, Error> {
        let dimension = lower.len();
        if dimension > MAX_DIMENSION || upper.len() != dimension {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_ARGUMENT,
                format!("a graph has 0 to {MAX_DIMENSION} coordinates, not {dimension}"),
            ));
        }
        let mut space = Self { axes: [Axis { lower: 0, extent: 1, stride: 1 }; MAX_DIMENSION], dimension, volume: 1 };
        let empty = lower.iter().zip(upper).any(|(low, high)| high < low);
        for k in (0..dimension).rev() {
            let stride = space.volume;
            let extent = if empty { 0 } else { i128::from(upper[k]) - i128::from(lower[k]) + 1 };
            let volume = i128::from(space.volume) * extent.max(i128::from(empty));
            // One number is reserved; i64 has room for every sum of two.
            if volume >= i128::from(i64::MAX) {
                return Err(Error::new(
                    dvm_retcode_t::DVM_ERR_ARGUMENT,
                    format!(
                        "the box of tiles has more than 2^63 - 2 points (coordinate {k}: {} to {}): use larger tiles",
                        lower[k], upper[k]
                    ),
                ));
            }
            space.axes[k] = Axis { lower: lower[k], extent: extent as u64, stride };
            space.volume = volume as u64;
        }
        if empty {
            space.volume = 0;
        }
        Ok(space)
    }

    #[inline]
    fn axes(&self) -> &[Axis] {
        &self.axes[..self.dimension]
    }

    /// Number of points perpendicular to the longest coordinate: about as many tiles are in flight at a time.
    pub(crate) fn cross_section(&self) -> u64 {
        self.volume / self.axes().iter().map(|axis| axis.extent).max().unwrap_or(1).max(1)
    }

    /// Number of points.
    pub(crate) fn volume(&self) -> u64 {
        self.volume
    }

    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of values of coordinate `k`.
    pub(crate) fn extent(&self, k: usize) -> u64 {
        self.axes[k].extent
    }

    /// Number of slices: each has all points with one value of the first coordinate.
    pub(crate) fn slices(&self) -> u64 {
        if self.dimension() == 0 { 1 } else { self.extent(0) }
    }

    /// The least and the greatest value of coordinate `k`.
    #[inline]
    pub(crate) fn ends(&self, k: usize) -> [i64; 2] {
        let Axis { lower, extent, .. } = self.axes[k];
        [lower, lower.wrapping_add(extent as i64).wrapping_sub(1)]
    }

    /// The increase of a point's number per step of coordinate `k`.
    pub(crate) fn stride(&self, k: usize) -> u64 {
        self.axes[k].stride
    }

    /// The point with this number.
    pub(crate) fn tile(&self, number: u64) -> Tile {
        let mut tile = [0; MAX_DIMENSION];
        self.locate(number, &mut tile);
        tile
    }

    /// Writes the point with this number.
    pub(crate) fn locate(&self, mut number: u64, tile: &mut Tile) {
        for (coordinate, axis) in tile.iter_mut().zip(self.axes()) {
            // A division takes longer than all other operations here.
            let index = if axis.stride == 1 { number } else { number / axis.stride };
            number -= index * axis.stride;
            *coordinate = axis.lower + index as i64;
        }
    }

    /// Moves to the point with the next number; the first follows the last.
    pub(crate) fn advance(&self, tile: &mut Tile) {
        for (coordinate, axis) in tile.iter_mut().zip(self.axes()).rev() {
            if coordinate.wrapping_sub(axis.lower) as u64 + 1 < axis.extent {
                *coordinate += 1;
                return;
            }
            *coordinate = axis.lower;
        }
    }

    /// The number of a point; `None` if it is outside.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each edge")]
    pub(crate) fn number(&self, tile: &[i64]) -> Option<u64> {
        // Most tiles have two coordinates; a loop takes 1.5 times as long.
        if let ([a, b], [first, second]) = (tile, self.axes()) {
            return Some(first.part(*a)? + second.part(*b)?);
        }
        tile.iter().zip(self.axes()).try_fold(0, |number, (&coordinate, axis)| Some(number + axis.part(coordinate)?))
    }

    /// Coordinate `k` of a point, counted from its lower bound.
    pub(crate) fn index(&self, tile: &Tile, k: usize) -> u64 {
        tile[k].wrapping_sub(self.axes[k].lower) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_points_are_inverse_and_in_order() {
        let space = Space::new(&[-2, 5, 0], &[1, 7, 0]).expect("space");
        assert_eq!(space.volume(), 12);
        let (mut last, mut next) = (None, space.tile(0));
        for number in 0..space.volume() {
            let tile = space.tile(number);
            assert_eq!(space.number(&tile), Some(number));
            assert!(last < Some(tile));
            assert_eq!(next, tile);
            space.advance(&mut next);
            last = Some(tile);
        }
        for outside in [[-3, 5, 0], [2, 5, 0], [0, 4, 0], [0, 8, 0], [0, 5, 1]] {
            assert_eq!(space.number(&outside), None);
        }
    }

    #[test]
    fn empty_and_point_boxes() {
        assert_eq!(Space::new(&[0, 3], &[9, 2]).expect("empty").volume(), 0);
        assert_eq!(Space::new(&[3, 0], &[2, 9]).expect("empty").volume(), 0);
        assert_eq!(Space::new(&[], &[]).expect("point").volume(), 1);
    }

    #[test]
    fn too_many_points_are_refused() {
        assert!(Space::new(&[i64::MIN], &[i64::MAX]).is_err());
        assert!(Space::new(&[0, 0], &[1 << 40, 1 << 40]).is_err());
    }
}
