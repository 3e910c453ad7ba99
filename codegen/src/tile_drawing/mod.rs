//! Drawings of tiled iteration spaces, like Figure 5 of the report: points are statement instances, coloured areas are
//! tiles, arrows are dependences.

mod hull;
mod scene;
mod svg;

pub use scene::{View, scene};
pub use svg::svg;

/// A statement instance.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Index into [`Scene::statements`].
    pub statement: usize,
    /// Position to the right: the inner drawn coordinate.
    pub x: f64,
    /// Position upwards: the outer drawn coordinate.
    pub y: f64,
    /// Tile coordinates.
    pub tile: Vec<i64>,
}

/// The content of a drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Title line above the drawing.
    pub title: String,
    /// Names of the horizontal and the vertical axis.
    pub axes: [String; 2],
    /// Names of the statements.
    pub statements: Vec<String>,
    /// Statement instances.
    pub points: Vec<Point>,
    /// Dependences: indices of source and sink in `points`.
    pub arrows: Vec<(usize, usize)>,
}
