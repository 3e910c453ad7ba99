//! Prints a scene as SVG.

use std::fmt::Write;

use super::Scene;
use super::colours::{colours, tiles};
use super::legend::Legend;
use super::style::{FONT, MARGIN, escape, fill, ink};
use super::text_width::text_width;

/// Pixels per unit of the iteration space.
const UNIT: f64 = 30.0;
/// From the axes to the outermost points, in pixels.
const AXIS: f64 = 24.0;
/// Half the width of a tile's border around its points, in pixels.
const PAD: f64 = 11.0;
/// Height of the title's letters, in pixels.
const TITLE_FONT: f64 = 14.0;
/// Least width of a drawing, in pixels.
const LEAST_WIDTH: f64 = 360.0;
/// Draws a scene with title, axes with ticks, and a legend of the statements.
#[must_use]
pub fn svg(scene: &Scene) -> String {
    let frame = Frame::of(scene);
    let mut text = String::new();
    let (width, height) = frame.size(scene);
    let _ = writeln!(
        text,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="sans-serif" font-size="{FONT:.0}">"#
    );
    text.push_str(concat!(
        r##"<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">"##,
        r##"<path d="M0,0 L8,4 L0,8 z" fill="#c53030"/></marker></defs>"##,
        "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    ));
    let _ = writeln!(text, r#"<text x="{MARGIN}" y="22" font-size="{TITLE_FONT}">{}</text>"#, escape(&scene.title));
    frame.legend.draw(&mut text);
    draw_tiles(&mut text, scene, &frame);
    axes(&mut text, scene, &frame);
    arrows(&mut text, scene, &frame);
    for point in &scene.points {
        let (x, y) = frame.place(point.x, point.y);
        let _ = writeln!(text, r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{}"/>"#, ink(point.statement));
    }
    text.push_str("</svg>\n");
    text
}

/// Maps the iteration space to pixels.
struct Frame {
    low: (f64, f64),
    high: (f64, f64),
    /// Pixels to the left of the leftmost points: the numbers at the axis have room.
    left: f64,
    legend: Legend,
}

impl Frame {
    fn of(scene: &Scene) -> Self {
        let bounds = |of: fn(&super::Point) -> f64| {
            let values = scene.points.iter().map(of);
            let low = values.clone().fold(f64::INFINITY, f64::min);
            if low.is_finite() { (low, values.fold(low, f64::max)) } else { (0.0, 0.0) }
        };
        let (x, y) = (bounds(|point| point.x), bounds(|point| point.y));
        let numbers = ticks(y.0, y.1).map(|value| text_width(&value.to_string(), FONT)).fold(0.0, f64::max);
        let left = MARGIN.max(numbers + AXIS + 8.0);
        let legend = Legend::of(&scene.statements, (x.1 - x.0).mul_add(UNIT, left).max(LEAST_WIDTH - MARGIN));
        Self { low: (x.0, y.0), high: (x.1, y.1), left, legend }
    }

    /// Width and height of the picture: what is drawn, and all texts.
    fn size(&self, scene: &Scene) -> (f64, f64) {
        let (right, _) = self.place(self.high.0, self.low.1);
        let texts = [
            MARGIN + text_width(&scene.title, TITLE_FONT),
            self.legend.right,
            right + 20.0 + text_width(&scene.axes[0], FONT),
            self.left + text_width(&scene.axes[1], FONT),
        ];
        let width = texts.into_iter().map(|end| end + 8.0).fold((right + MARGIN).max(LEAST_WIDTH), f64::max);
        (width.ceil(), self.place(self.low.0, self.low.1).1 + MARGIN)
    }

    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + (x - self.low.0) * UNIT, MARGIN + self.legend.height + (self.high.1 - y) * UNIT)
    }
}

/// Draws each tile as the hull of its points, with a thick round border of the same colour.
fn draw_tiles(text: &mut String, scene: &Scene, frame: &Frame) {
    let tiles = tiles(scene.points.iter().map(|point| (point.tile.as_slice(), (point.x, point.y))));
    for (tile, colour) in tiles.iter().zip(colours(&tiles)) {
        let fill = fill(colour);
        let name: Vec<String> = tile.coordinates.iter().map(ToString::to_string).collect();
        let title = format!("<title>tile ({})</title>", name.join(", "));
        let corners: Vec<(f64, f64)> = tile.corners.iter().map(|(x, y)| frame.place(*x, *y)).collect();
        // Of a path without length, not every viewer paints the border.
        if let [(x, y)] = corners.as_slice() {
            let _ = writeln!(text, r#"<circle cx="{x:.1}" cy="{y:.1}" r="{PAD}" fill="{fill}">{title}</circle>"#);
            continue;
        }
        let path: Vec<String> = corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            text,
            r#"<path d="M{} z" fill="{fill}" stroke="{fill}" stroke-width="{}" stroke-linejoin="round" stroke-linecap="round">{title}</path>"#,
            path.join(" L"),
            2.0 * PAD
        );
    }
}

/// The numbers at an axis.
fn ticks(low: f64, high: f64) -> impl std::iter::Iterator<Item = i64> {
    (low.ceil() as i64..=high.floor() as i64).filter(|value| value % 5 == 0)
}

fn axes(text: &mut String, scene: &Scene, frame: &Frame) {
    let (left, bottom) = frame.place(frame.low.0, frame.low.1);
    let (right, top) = frame.place(frame.high.0, frame.high.1);
    let (x, y) = (left - AXIS, bottom + AXIS);
    let _ = writeln!(
        text,
        r#"<path d="M{x:.1},{:.1} V{y:.1} H{:.1}" fill="none" stroke="black"/>"#,
        top - 16.0,
        right + 16.0
    );
    let _ = writeln!(text, r#"<text x="{:.1}" y="{:.1}">{}</text>"#, right + 20.0, y + 4.0, escape(&scene.axes[0]));
    let _ = writeln!(text, r#"<text x="{:.1}" y="{:.1}">{}</text>"#, x - 4.0, top - 20.0, escape(&scene.axes[1]));
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
            note: None,
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
    fn a_tile_of_one_point_is_painted() {
        let mut single = scene();
        single.points.iter_mut().enumerate().for_each(|(k, point)| point.tile = vec![k as i64]);
        let text = svg(&single);
        assert_eq!(text.matches("r=\"11\"").count(), 4, "{text}");
        assert!(!text.contains(",30.0 z"), "{text}");
    }

    #[test]
    fn the_picture_is_as_wide_as_its_texts() {
        let name = "x[i] = ".repeat(12);
        let number = |text: &str, key: &str| -> f64 {
            let (_, rest) = text.split_once(key).unwrap();
            rest.split_once('"').unwrap().0.parse().unwrap()
        };
        let plain = svg(&scene());
        for wide in [
            Scene { statements: vec![name.clone()], ..scene() },
            Scene { title: name.clone(), ..scene() },
            Scene { axes: [name.clone(), "t".into()], ..scene() },
            Scene { axes: ["i".into(), name.clone()], ..scene() },
        ] {
            let text = svg(&wide);
            let width = number(&text, "width=\"");
            let line = text.lines().find(|line| line.contains(&name)).unwrap();
            let start = number(&line[line.find("<text").unwrap()..], "x=\"");
            assert!(width >= start + name.len() as f64 * 5.0, "{width}: {line}");
            assert!(width > number(&plain, "width=\""));
        }
        let many = svg(&Scene { statements: vec!["a[i] = b[i]".into(); 30], ..scene() });
        assert!(number(&many, "height=\"") > number(&plain, "height=\"") + 100.0, "the legend takes lines");
    }

    #[test]
    fn numbers_at_the_axis_are_not_cut_off() {
        let mut far = scene();
        far.points.iter_mut().for_each(|point| point.y -= 1_000_000_000.0);
        let frame = Frame::of(&far);
        assert!(frame.left - AXIS - 4.0 > text_width("-1000000000", FONT), "{}", frame.left);
    }

    #[test]
    fn an_empty_scene_is_a_picture_too() {
        assert!(svg(&Scene::default()).ends_with("</svg>\n"));
    }
}
