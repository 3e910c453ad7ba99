//! Values of the environment variables: from text to what it means, or to an error that says what is allowed.

use std::ffi::{OsStr, OsString};

use crate::error::{Error, dvm_retcode_t};

/// Maximum length of a list of tile sizes: the maximum number of coordinates of a parameterised graph.
const MAX_TILE_SIZES: usize = 16;

/// The type of a knob's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Number {
        least: u64,
        most: u64,
    },
    /// Whole numbers from 1, separated by commas or `x`.
    Sizes,
    Flag,
    /// Any text; the code that uses it may refuse it.
    Text,
    Path,
    Signal,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// The signals that `DVM_EXPLAIN_SIGNAL` accepts: those left to programs for their own purposes.
const SIGNALS: [(&str, i32); 4] =
    [("SIGHUP", libc::SIGHUP), ("SIGQUIT", libc::SIGQUIT), ("SIGUSR1", libc::SIGUSR1), ("SIGUSR2", libc::SIGUSR2)];

impl ValueKind {
    /// The allowed values, in words.
    pub(super) fn allowed(self) -> String {
        match self {
            ValueKind::Number { least, most } => format!("a whole number from {least} to {most}"),
            ValueKind::Sizes => {
                format!("1 to {MAX_TILE_SIZES} whole numbers from 1, separated by commas or x, as 32,64 or 32x64")
            }
            ValueKind::Flag => "0 or 1".into(),
            ValueKind::Text => "text".into(),
            ValueKind::Path => "the path of a file".into(),
            ValueKind::Signal => SIGNALS.map(|(name, _)| name).join(", "),
            ValueKind::Choice(words) => words.join(" or "),
        }
    }
}

/// A variable of the environment.
#[derive(Debug)]
pub(super) struct Knob {
    /// Name in the library's code.
    #[cfg_attr(not(test), allow(dead_code, reason = "the tests compare it with the variable"))]
    pub(super) name: &'static str,
    pub(super) variable: &'static str,
    pub(super) kind: ValueKind,
    pub(super) unit: &'static str,
    /// The default in words; a valid value where `or_default` parses it.
    pub(super) default: &'static str,
    /// Text for docs/environment.md and `dvm-info`.
    pub(super) documentation: &'static str,
}

/// Tile sizes from the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TileSizes(pub(super) Vec<u64>);

impl TileSizes {
    /// The size of tile coordinate `coordinate`, if the environment sets it.
    pub fn size(&self, coordinate: usize) -> Option<u64> {
        match self.0.as_slice() {
            [all] => Some(*all),
            sizes => sizes.get(coordinate).copied(),
        }
    }
}

/// The error for a value of `knob` that is not allowed.
pub(super) fn refuse(knob: &Knob, value: &OsStr) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_ARGUMENT,
        format!(
            "the environment variable {} is \"{}\": it must be {} (or unset: {})",
            knob.variable,
            value.display(),
            knob.kind.allowed(),
            knob.default
        ),
    )
}

/// The error for a text that its user refuses, for the reason given.
pub(crate) fn refused(variable: &str, value: &str, reason: &str) -> Error {
    let message = format!("the environment variable {variable} is {value:?}: {reason}");
    Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, message)
}

pub(super) fn or_default(knob: &Knob, value: Option<OsString>) -> OsString {
    value.unwrap_or_else(|| knob.default.into())
}

pub(super) fn text<'a>(knob: &Knob, value: &'a OsStr) -> Result<&'a str, Error> {
    value.to_str().ok_or_else(|| refuse(knob, value))
}

pub(super) fn choice<'a>(knob: &Knob, value: &'a OsStr) -> Result<&'a str, Error> {
    let ValueKind::Choice(words) = knob.kind else { unreachable!("{} is a choice in the table", knob.variable) };
    Some(text(knob, value)?).filter(|word| words.contains(word)).ok_or_else(|| refuse(knob, value))
}

/// Parses digits only: refuses `+1`, ` 1` and `1.0`.
pub(super) fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

pub(super) fn number(knob: &Knob, value: &OsStr) -> Result<u64, Error> {
    let ValueKind::Number { least, most } = knob.kind else {
        unreachable!("{} is a number in the table", knob.variable)
    };
    digits(text(knob, value)?).filter(|n| (least..=most).contains(n)).ok_or_else(|| refuse(knob, value))
}

pub(super) fn flag(knob: &Knob, value: Option<OsString>) -> Result<bool, Error> {
    let value = or_default(knob, value);
    match value.to_str() {
        Some("0") => Ok(false),
        Some("1") => Ok(true),
        _ => Err(refuse(knob, &value)),
    }
}

pub(super) fn sizes(knob: &Knob, value: &OsStr) -> Result<TileSizes, Error> {
    let sizes = text(knob, value)?.split([',', 'x']).map(|size| digits(size.trim())).collect::<Option<Vec<_>>>();
    let allowed = |sizes: &Vec<u64>| {
        sizes.len() <= MAX_TILE_SIZES && sizes.iter().all(|size| (1..=i64::MAX as u64).contains(size))
    };
    sizes.filter(allowed).map(TileSizes).ok_or_else(|| refuse(knob, value))
}

/// Parses a signal's name, with or without `SIG`.
pub(super) fn signal(knob: &Knob, value: &OsStr) -> Result<i32, Error> {
    let name = text(knob, value)?;
    let known = SIGNALS.iter().find(|(full, _)| *full == name || full.strip_prefix("SIG") == Some(name));
    known.map(|&(_, number)| number).ok_or_else(|| refuse(knob, value))
}

/// The name of one of `SIGNALS`.
pub(crate) fn signal_name(number: i32) -> &'static str {
    SIGNALS.iter().find(|(_, own)| *own == number).map_or("the signal", |(name, _)| name)
}
