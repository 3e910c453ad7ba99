//! The legend of a drawing: a line or more of statements, and the sign of a dependence.

use std::fmt::Write;

use super::style::{FONT, MARGIN, escape, ink};
use super::text_width::text_width;

/// From one line to the next, in pixels.
const LINE: f64 = 18.0;
/// Height of the first line's middle, in pixels.
const FIRST: f64 = 38.0;
/// Between two entries, in pixels.
const GAP: f64 = 22.0;
/// From the beginning of an entry to its text, in pixels: a point, and an arrow.
const SIGNS: [f64; 2] = [8.0, 28.0];

/// A statement, or the sign of a dependence.
struct Entry {
    /// The colour of its point; `None`: an arrow.
    ink: Option<String>,
    text: String,
    place: (f64, f64),
}

/// A legend, laid out.
pub(super) struct Legend {
    entries: Vec<Entry>,
    /// Where its longest line ends.
    pub(super) right: f64,
    /// How much higher it makes the picture.
    pub(super) height: f64,
}

impl Legend {
    /// A legend whose lines end before `limit`, unless a single entry is longer.
    pub(super) fn of(statements: &[String], limit: f64) -> Legend {
        let mut legend = Legend { entries: Vec::new(), right: 0.0, height: 24.0 };
        let (mut x, mut y) = (MARGIN, FIRST);
        let points = statements.iter().enumerate().map(|(k, name)| (Some(ink(k)), name.as_str()));
        for (ink, text) in points.chain([(None, "dependence")]) {
            let width = SIGNS[usize::from(ink.is_none())] + text_width(text, FONT);
            if x > MARGIN && x + width > limit {
                (x, y) = (MARGIN, y + LINE);
                legend.height += LINE;
            }
            legend.entries.push(Entry { ink, text: text.to_owned(), place: (x, y) });
            legend.right = legend.right.max(x + width);
            x += width + GAP;
        }
        legend
    }

    pub(super) fn draw(&self, text: &mut String) {
        for Entry { ink, text: name, place: (x, y) } in &self.entries {
            let _ = match ink {
                Some(ink) => write!(text, r#"<circle cx="{x:.0}" cy="{y:.0}" r="4" fill="{ink}"/>"#),
                None => write!(text, r##"<path d="M{x:.0},{y:.0} h22" stroke="#c53030" marker-end="url(#head)"/>"##),
            };
            let start = x + SIGNS[usize::from(ink.is_none())];
            let _ = writeln!(text, r#"<text x="{start:.0}" y="{:.0}">{}</text>"#, y + 4.0, escape(name));
        }
    }
}
