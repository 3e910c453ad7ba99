//! Lists a graph's tiles and edges for a drawing.

use super::callbacks::Callbacks;
use super::shape::GraphShape;
use super::space::{MAX_DIMENSION, Space};
use crate::trace::Tiles;

/// Lists the tiles and edges. Calls the graph's own functions, as a worker would; exceptions from them count only when
/// they run.
pub(super) fn draw(space: &Space, carried: &[bool], callbacks: &Callbacks, tiles: &mut Tiles) {
    let dimension = space.dimension();
    if callbacks.tells_bounds() {
        return draw_bounded(GraphShape { space, callbacks }, carried, tiles);
    }
    for number in 0..space.volume() {
        let tile = space.tile(number);
        if callbacks.predecessors(&tile, 0).map_or(true, |predecessors| predecessors < 0) {
            continue;
        }
        tiles.tile(number, &tile[..dimension]);
        let told = callbacks.successors(&tile, |successor: &[i64]| {
            if let Some(successor) = space.number(successor) {
                tiles.edge(number, successor);
            }
        });
        let told = told.unwrap_or(true);
        let along = |k: usize| carried.get(k).copied().unwrap_or(false) && space.index(&tile, k) + 1 < space.extent(k);
        for k in (0..dimension).filter(|&k| !told && along(k)) {
            tiles.edge(number, number + space.stride(k));
        }
    }
}

/// The same for a graph whose coordinates bound each other.
fn draw_bounded(shape: GraphShape, carried: &[bool], tiles: &mut Tiles) {
    let (space, dimension) = (shape.space, shape.space.dimension());
    let along = |k: &usize| carried.get(*k).copied().unwrap_or(false);
    let _ = shape.walk(&mut [0; MAX_DIMENSION], 0, false, &mut |tile| {
        let Some(number) = space.number(&tile[..dimension]) else { return Ok(true) };
        tiles.tile(number, &tile[..dimension]);
        for k in (0..dimension).filter(along) {
            if shape.has_next(tile, k)? {
                tiles.edge(number, number + space.stride(k));
            }
        }
        Ok(true)
    });
}
