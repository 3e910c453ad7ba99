//! Prints a scene as SVG.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Scene;
use super::hull::hull;

/// Pixels per unit of the iteration space.
const UNIT: f64 = 30.0;
/// Margin around the drawing, in pixels.
const MARGIN: f64 = 56.0;
/// Half the width of a tile's border around its points, in pixels.
const PAD: f64 = 11.0;
/// Fill colours of tiles, taken in turn.
const FILLS: [&str; 6] = ["#cfe3f7", "#fde3c4", "#d5efd0", "#ecd9f2", "#fbd5d8", "#dcdccb"];
/// Fill colours of the statements' points, taken in turn.
const INKS: [&str; 5] = ["#9a9a9a", "#1a1a1a", "#2b6cb0", "#b7791f", "#2f855a"];

/// Draws a scene with title, axes with ticks, and a legend of the statements.
#[must_use]
pub fn svg(scene: &Scene) -> String {
    let frame = Frame::of(scene);
    let mut text = String::new();
    let (width, height) = frame.size();
    let _ = writeln!(
        text,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="sans-serif" font-size="12">"#
    );
    text.push_str(concat!(
        r##"<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">"##,
        r##"<path d="M0,0 L8,4 L0,8 z" fill="#c53030"/></marker></defs>"##,
        "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    let _ = writeln!(text, r#"<text x="{MARGIN}" y="22" font-size="14">{}</text>"#, escape(&scene.title));
    legend(&mut text, scene);
    tiles(&mut text, scene, &frame);
    axes(&mut text, scene, &frame);
    arrows(&mut text, scene, &frame);
    for point in &scene.points {
        let (x, y) = frame.place(point.x, point.y);
        let ink = INKS[point.statement % INKS.len()];
        let _ = writeln!(text, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{ink}"/>"#);
    }
    text.push_str("</svg>\n");
    text
}

/// Maps the iteration space to pixels.
struct Frame {
    low: (f64, f64),
    high: (f64, f64),
}

impl Frame {
    fn of(scene: &Scene) -> Self {
        let bounds = |of: fn(&super::Point) -> f64| {
            let values = scene.points.iter().map(of);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            if low.is_finite() { (low, values.fold(low, f64::max)) } else { (0.0, 0.0) }
        };
        let (x, y) = (bounds(|point| point.x), bounds(|point| point.y));
        Self { low: (x.0, y.0), high: (x.1, y.1) }
    }

    fn size(&self) -> (f64, f64) {
        let span = |low: f64, high: f64| (high - low).mul_add(UNIT, 2.0 * MARGIN);
        (span(self.low.0, self.high.0).max(360.0), span(self.low.1, self.high.1) + 24.0)
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (MARGIN + (x - self.low.0) * UNIT, MARGIN + 24.0 + (self.high.1 - y) * UNIT)
    }
}

fn legend(text: &mut String, scene: &Scene) {
    let mut x = MARGIN;
    for (index, name) in scene.statements.iter().enumerate() {
        let ink = INKS[index % INKS.len()];
        let _ = writeln!(
            text,
            r#"<circle cx="{x:.0}" cy="38" r="4" fill="{ink}"/><text x="{:.0}" y="42">{}</text>"#,
            x + 8.0,
            escape(name)
        );
        x += 30.0 + 8.0 * name.len() as f64;
    }
    let _ = writeln!(
        text,
        r##"<path d="M{x:.0},38 h22" stroke="#c53030" marker-end="url(#head)"/><text x="{:.0}" y="42">dependence</text>"##,
        x + 28.0
    );
}

/// Draws each tile as the hull of its points, with a thick round border of the same colour.
fn tiles(text: &mut String, scene: &Scene, frame: &Frame) {
    let mut members: BTreeMap<&[i64], Vec<(f64, f64)>> = BTreeMap::new();
    for point in &scene.points {
        members.entry(&point.tile).or_default().push(frame.place(point.x, point.y));
    }
    for (tile, places) in members {
        let corners = hull(&places);
        let sum: i64 = tile.iter().enumerate().map(|(k, coordinate)| coordinate * (2 * k as i64 + 1)).sum();
        let fill = FILLS[sum.rem_euclid(FILLS.len() as i64) as usize];
        let path: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let name: Vec<String> = tile.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            r#"<path d="M{} z" fill="{fill}" stroke="{fill}" stroke-width="{}" stroke-linejoin="round"><title>tile ({})</title></path>"#,
            path.join(" L"),
            2.0 * PAD,
            name.join(", ")
        );
    }
}

fn axes(text: &mut String, scene: &Scene, frame: &Frame) {
    let (left, bottom) = frame.place(frame.low.0, frame.low.1);
    let (right, top) = frame.place(frame.high.0, frame.high.1);
    let (x, y) = (left - 24.0, bottom + 24.0);
    let _ = writeln!(
        text,
        r#"<path d="M{x:.1},{:.1} V{y:.1} H{:.1}" fill="none" stroke="black"/>"#,
        top - 16.0,
        right + 16.0
    );
    let _ = writeln!(text, r#"<text x="{:.1}" y="{:.1}">{}</text>"#, right + 20.0, y + 4.0, escape(&scene.axes[0]));
    let _ = writeln!(text, r#"<text x="{:.1}" y="{:.1}">{}</text>"#, x - 4.0, top - 20.0, escape(&scene.axes[1]));
    let ticks = |low: f64, high: f64| (low.ceil() as i64..=high.floor() as i64).filter(|value| value % 5 == 0);
    for value in ticks(frame.low.0, frame.high.0) {
        let (at, _) = frame.place(value as f64, frame.low.1);
        let _ = writeln!(text, r#"<text x="{at:.1}" y="{:.1}" text-anchor="middle">{value}</text>"#, y + 14.0);
    }
    for value in ticks(frame.low.1, frame.high.1) {
        let (_, at) = frame.place(frame.low.0, value as f64);
        let _ = writeln!(text, r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{value}</text>"#, x - 4.0, at + 4.0);
    }
}

/// Draws arrows that end at the border of their points.
fn arrows(text: &mut String, scene: &Scene, frame: &Frame) {
    for &(from, to) in &scene.arrows {
        let place = |index: usize| frame.place(scene.points[index].x, scene.points[index].y);
        let ((x0, y0), (x1, y1)) = (place(from), place(to));
        let length = (x1 - x0).hypot(y1 - y0);
        if length > 10.0 {
            let (dx, dy) = ((x1 - x0) * 5.0 / length, (y1 - y0) * 5.0 / length);
            let _ = writeln!(
                text,
                r##"<path d="M{:.1},{:.1} L{:.1},{:.1}" stroke="#c53030" stroke-width="0.8" marker-end="url(#head)"/>"##,
                x0 + dx,
                y0 + dy,
                x1 - dx,
                y1 - dy
            );
        }
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::Point;
    use super::*;

    fn scene() -> Scene {
        let points = (0..4)
            .map(|i| Point { statement: i % 2, x: i as f64, y: (i / 2) as f64, tile: vec![i as i64 / 2] })
            .collect();
        Scene {
            title: "a < b".into(),
            axes: ["i".into(), "t".into()],
            statements: vec!["S".into(), "T".into()],
            points,
            arrows: vec![(0, 2), (1, 3), (1, 1)],
        }
    }

    #[test]
    fn every_point_tile_and_dependence_is_drawn() {
        let text = svg(&scene());
        assert_eq!(text.matches("r=\"4\"").count(), 4 + 2, "points and legend");
        assert_eq!(text.matches("<title>tile (").count(), 2);
        assert_eq!(text.matches("marker-end").count(), 2 + 1, "an arrow onto itself has no length");
        assert!(text.contains("a &lt; b"));
    }

    #[test]
    fn an_empty_scene_is_a_picture_too() {
        assert!(svg(&Scene::default()).ends_with("</svg>\n"));
    }
}
