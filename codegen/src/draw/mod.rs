//! Drawings of tiled iteration spaces, like Figure 5 of the report: statement instances as points, tiles as
//! coloured areas around them, dependences as arrows.

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
    /// Place in the plane: the inner drawn coordinate to the right.
    pub x: f64,
    /// The outer drawn coordinate, upwards.
    pub y: f64,
    /// Tile coordinates.
    pub tile: Vec<i64>,
}

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// First line over the drawing.
    pub title: String,
    /// Name of the axis to the right and of the one upwards.
    pub axes: [String; 2],
    /// Names of the statements.
    pub statements: Vec<String>,
    /// Statement instances.
    pub points: Vec<Point>,
    /// Dependences: indices of source and sink in `points`.
    pub arrows: Vec<(usize, usize)>,
}
