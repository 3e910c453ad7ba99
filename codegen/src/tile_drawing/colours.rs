//! Colours of tiles: neighbours differ.

use super::hull::{distance, hull};
use std::collections::BTreeMap;

/// Tiles drawn nearer than this, in units of the iteration space, are seen beside each other: the diagonal of a unit
/// square is less.
pub(super) const BESIDE: f64 = 1.5;

/// A tile as it is drawn.
pub(super) struct DrawnTile<'s> {
    /// Its phase, and its coordinates.
    pub(super) coordinates: &'s [i64],
    /// The corners of the hull of its points.
    pub(super) corners: Vec<(f64, f64)>,
}

/// The tiles of some points, each with its coordinates and place, in the order of the coordinates.
pub(super) fn tiles<'s>(points: impl std::iter::Iterator<Item = (&'s [i64], (f64, f64))>) -> Vec<DrawnTile<'s>> {
    let mut members: BTreeMap<&[i64], Vec<(f64, f64)>> = BTreeMap::new();
    for (coordinates, place) in points {
        members.entry(coordinates).or_default().push(place);
    }
    members.into_iter().map(|(coordinates, places)| DrawnTile { coordinates, corners: hull(&places) }).collect()
}

/// A number for each tile, from 0: neighbours have different ones. Each tile takes the least number that no earlier
/// neighbour has, so that the tiles of a plane take four.
pub(super) fn colours(tiles: &[DrawnTile]) -> Vec<usize> {
    let frames: Vec<Frame> = tiles.iter().map(|tile| Frame::of(&tile.corners)).collect();
    let mut chosen: Vec<usize> = Vec::with_capacity(tiles.len());
    for (at, tile) in tiles.iter().enumerate() {
        let earlier = (0..at).filter(|&other| {
            are_adjacent(tile.coordinates, tiles[other].coordinates)
                || frames[at].is_near(&frames[other]) && distance(&tile.corners, &tiles[other].corners) < BESIDE
        });
        let taken: Vec<usize> = earlier.map(|other| chosen[other]).collect();
        chosen.push((0..=taken.len()).find(|colour| !taken.contains(colour)).unwrap_or(0));
    }
    chosen
}

/// Whether two tiles of one phase differ by at most 1 in each coordinate.
fn are_adjacent(one: &[i64], other: &[i64]) -> bool {
    one.len() == other.len() && one.first() == other.first() && one.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= 1)
}

/// The rectangle around a tile.
struct Frame {
    low: (f64, f64),
    high: (f64, f64),
}

impl Frame {
    fn of(corners: &[(f64, f64)]) -> Frame {
        let far = f64::INFINITY;
        let start = Frame { low: (far, far), high: (-far, -far) };
        corners.iter().fold(start, |frame, corner| Frame {
            low: (frame.low.0.min(corner.0), frame.low.1.min(corner.1)),
            high: (frame.high.0.max(corner.0), frame.high.1.max(corner.1)),
        })
    }

    /// Whether what the rectangles hold may be beside each other.
    fn is_near(&self, other: &Frame) -> bool {
        self.low.0 - other.high.0 < BESIDE
            && other.low.0 - self.high.0 < BESIDE
            && self.low.1 - other.high.1 < BESIDE
            && other.low.1 - self.high.1 < BESIDE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(of: &[(&[i64], (f64, f64))]) -> Vec<usize> {
        colours(&tiles(of.iter().copied()))
    }

    #[test]
    fn the_tiles_of_a_plane_take_four() {
        let all: Vec<[i64; 3]> = (0..9).flat_map(|y| (0..9).map(move |x| [0, y, x])).collect();
        let places = all.iter().map(|tile| (tile.as_slice(), (tile[2] as f64, tile[1] as f64)));
        let taken = colours(&tiles(places));
        assert_eq!(taken.iter().max(), Some(&3));
        for (one, a) in all.iter().zip(&taken) {
            for (other, b) in all.iter().zip(&taken).filter(|(other, _)| *other != one && are_adjacent(one, &other[..]))
            {
                assert_ne!(a, b, "{one:?} and {other:?}");
            }
        }
    }

    #[test]
    fn tiles_of_two_phases_differ_where_they_are_drawn_beside_each_other() {
        assert_eq!(numbers(&[(&[0, 0], (0.0, 0.0)), (&[1, 5], (1.0, 1.0)), (&[1, 7], (9.0, 0.0))]), [0, 1, 0]);
    }

    #[test]
    fn a_tile_inside_another_one_differs() {
        let square = [(0.0, 0.0), (9.0, 0.0), (0.0, 9.0), (9.0, 9.0)];
        let outer = square.map(|place| (&[0, 0][..], place));
        let all = outer.into_iter().chain([(&[1, 0][..], (4.0, 4.0))]);
        assert_eq!(colours(&tiles(all)), [0, 1]);
    }
}
