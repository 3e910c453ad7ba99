//! How wide a text is at most, in pixels: a drawing does not know the font of its reader.

/// The widest that `text` gets in a common sans-serif font of `size` pixels.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(width_of).sum::<f64>() * size
}

/// A character's width, in heights of the font. The widths of DejaVu Sans and Verdana, which are wide fonts, are not above.
fn width_of(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '(' | ')' | '[' | ']' => 0.46,
        'm' | 'M' | 'W' | '%' | '@' => 1.1,
        'w' | 'A'..='Z' | '+' | '<' | '=' | '>' | '&' | '#' | '~' | '^' | '_' => 0.86,
        c if c.is_ascii() => 0.68,
        _ => 1.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_count_more_than_narrow_ones() {
        assert!(text_width("WWW", 12.0) > 2.0 * text_width("lll", 12.0));
        assert!(text_width("dependence", 12.0) >= 10.0 * 0.6 * 12.0);
        assert!(text_width("", 12.0).abs() < 1e-12);
    }
}
