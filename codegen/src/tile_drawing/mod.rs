//! Drawings of tiled iteration spaces, like Figure 5 of the report: points are statement instances, coloured areas are
//! tiles, arrows are dependences.

mod colours;
mod hull;
mod legend;
mod scene;
mod statement_name;
mod style;
mod svg;
mod text_width;
mod window;

pub use scene::{View, scene};
pub use svg::svg;

use serde::{Deserialize, Serialize};

/// A statement instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Title line above the drawing.
    pub title: String,
    /// Names of the horizontal and the vertical axis.
    pub axes: [String; 2],
    /// What is said about the drawing besides, if it is not of the whole region.
    pub note: Option<String>,
    /// Names of the statements.
    pub statements: Vec<String>,
    /// Statement instances.
    pub points: Vec<Point>,
    /// Dependences: indices of source and sink in `points`.
    pub arrows: Vec<(usize, usize)>,
}
