//! What a compiler's options say of integers.

/// How integers behave in a file beyond what C's text says: from the compiler's options.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dialect {
    /// An option says whether `char` has a sign; it is then not trusted to either.
    pub char_by_option: bool,
    /// Enumerations may be narrower than `int`.
    pub short_enums: bool,
    /// Signed arithmetic wraps around.
    pub wraps: bool,
}

impl Dialect {
    /// What a command's options say.
    pub fn of(flags: &[String]) -> Dialect {
        let has = |names: &[&str]| flags.iter().any(|flag| names.contains(&flag.as_str()));
        // What a file of options says is not known here.
        let hidden = flags.iter().any(|flag| flag.starts_with('@'));
        Dialect {
            char_by_option: hidden
                || has(&["-funsigned-char", "-fsigned-char", "-fno-unsigned-char", "-fno-signed-char"]),
            short_enums: hidden || has(&["-fshort-enums"]),
            wraps: hidden || has(&["-fwrapv", "-fno-strict-overflow", "-ftrapv"]),
        }
    }
}
