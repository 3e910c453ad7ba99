//! The integer rules that compiler options select.

/// The behaviour of integers in a file as far as compiler options decide it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IntegerOptions {
    /// An option sets the sign of `char`; then the tool relies on neither.
    pub char_by_option: bool,
    /// Enumerations may be narrower than `int`.
    pub short_enums: bool,
    /// Signed arithmetic wraps around.
    pub wraps: bool,
}

impl IntegerOptions {
    /// What a command's options decide.
    pub fn of(flags: &[String]) -> IntegerOptions {
        let has = |names: &[&str]| flags.iter().any(|flag| names.contains(&flag.as_str()));
        // Options in a response file are unknown here.
        let hidden = flags.iter().any(|flag| flag.starts_with('@'));
        IntegerOptions {
            char_by_option: hidden
                || has(&["-funsigned-char", "-fsigned-char", "-fno-unsigned-char", "-fno-signed-char"]),
            short_enums: hidden || has(&["-fshort-enums"]),
            wraps: hidden || has(&["-fwrapv", "-fno-strict-overflow", "-ftrapv"]),
        }
    }
}
