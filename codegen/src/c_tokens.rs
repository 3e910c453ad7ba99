//! Lexical words of C.

use std::collections::BTreeSet;

/// The identifiers in a piece of C text, except in strings and after `.` and `->`.
pub fn identifiers(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for_each_identifier(text, |name| {
        found.insert(name.to_owned());
    });
    found
}

/// Calls `met` for each place of an identifier in a piece of C text, except in strings and after `.` and `->`.
pub fn for_each_identifier<'t>(text: &'t str, mut met: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
            }
            b if b.is_ascii_digit() => {
                while at < bytes.len() && (is_word(bytes[at]) || bytes[at] == b'.') {
                    at += 1;
                }
            }
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                let before = text[..start].trim_end();
                if !(before.ends_with("->") || before.ends_with('.')) {
                    met(&text[start..at]);
                }
            }
            _ => at += 1,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether an identifier in a piece of C text contains a universal character name (`\u...`).
pub fn has_universal(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], quote) {
            (b'\\', Some(_)) => at += 1,
            (b'\\', None) if matches!(bytes.get(at + 1), Some(b'u' | b'U')) => return true,
            (byte @ (b'"' | b'\''), None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
        at += 1;
    }
    false
}

/// The keywords of C99.
pub const KEYWORDS: &[&str] = &[
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Bool",
    "_Complex",
    "_Imaginary",
];

/// Whether `word` is a keyword of C99.
pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}
