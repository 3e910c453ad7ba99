//! Expected texts, one per file.

use std::path::Path;

/// Panics if a file does not hold this text; `DVM_BLESS=1` writes it.
#[track_caller]
pub fn expect(file: impl AsRef<Path>, text: &str) {
    let file = file.as_ref();
    if std::env::var_os("DVM_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    } else if let Some(difference) = difference(&std::fs::read_to_string(file).unwrap_or_default(), text) {
        panic!("{}:{difference}\nDVM_BLESS=1 writes the file anew", file.display());
    }
}

/// The first line that differs, in both texts.
fn difference(held: &str, text: &str) -> Option<String> {
    if held == text {
        return None;
    }
    let lines = |text: &str| text.split('\n').map(str::to_owned).chain([String::from("(the end)")]).collect::<Vec<_>>();
    let (held, text) = (lines(held), lines(text));
    let line = held.iter().zip(&text).position(|(a, b)| a != b)?;
    Some(format!("{}:\n  the file holds: {}\n  the test finds: {}", line + 1, held[line], text[line]))
}

#[test]
fn the_first_line_that_differs_is_told() {
    assert_eq!(difference("a\nb\n", "a\nb\n"), None);
    let shown = |held, text| difference(held, text).expect("they differ");
    assert_eq!(shown("a\nb\n", "a\nc\n"), "2:\n  the file holds: b\n  the test finds: c");
    assert_eq!(shown("", "a"), "1:\n  the file holds: \n  the test finds: a");
    assert_eq!(shown("a", "a\n"), "2:\n  the file holds: (the end)\n  the test finds: ");
}
