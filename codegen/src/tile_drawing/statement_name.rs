//! What a drawing calls a statement.

use crate::model::{Region, Statement};

/// The longest name, in characters.
const MOST: usize = 48;

/// A statement's text in one line, shortened.
pub(super) fn statement_name(region: &Region, statement: &Statement) -> String {
    let mut text = statement.text.split_whitespace().collect::<Vec<_>>().join(" ");
    // The model writes scalars as what a pointer leads to.
    for scalar in region.arrays.iter().filter(|array| array.dims.is_empty()) {
        text = text.replace(&format!("(*{})", scalar.name), &scalar.name);
    }
    shortened(text.trim_end_matches(';'))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(MOST - 1).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        assert_eq!(shortened("a[i] = 0"), "a[i] = 0");
        let long = shortened(&"x + ".repeat(20));
        assert!(long.ends_with('…') && long.chars().count() <= MOST, "{long}");
    }
}
