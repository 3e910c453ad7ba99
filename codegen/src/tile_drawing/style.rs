//! Sizes and colours that the parts of a drawing share.

/// Margin around the drawing, in pixels.
pub(super) const MARGIN: f64 = 56.0;
/// Height of the letters, in pixels.
pub(super) const FONT: f64 = 12.0;
/// Fill colours of tiles; more are made by [`fill`].
const FILLS: [&str; 8] = ["#cfe3f7", "#fde3c4", "#d5efd0", "#ecd9f2", "#fbd5d8", "#dcdccb", "#c9efec", "#f7f2b8"];
/// Fill colours of the statements' points; more are made by [`ink`].
const INKS: [&str; 5] = ["#9a9a9a", "#1a1a1a", "#2b6cb0", "#b7791f", "#2f855a"];

/// The fill colour of a number.
pub(super) fn fill(number: usize) -> String {
    FILLS.get(number).map_or_else(|| hue(number, 55, 84), |colour| (*colour).to_owned())
}

/// The colour of a statement's points.
pub(super) fn ink(statement: usize) -> String {
    INKS.get(statement).map_or_else(|| hue(statement, 70, 38), |colour| (*colour).to_owned())
}

/// A colour of its own for each number below 360: 137 and 360 have no common divisor.
fn hue(number: usize, saturation: u32, lightness: u32) -> String {
    format!("hsl({}, {saturation}%, {}%)", number * 137 % 360, lightness - (number / 360 % 8) as u32)
}

/// A text in the terms of XML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn more_colours_than_in_the_lists_differ() {
        let all: BTreeSet<String> = (0..400).map(fill).collect();
        assert_eq!(all.len(), 400);
        let all: BTreeSet<String> = (0..400).map(ink).collect();
        assert_eq!(all.len(), 400);
    }
}
