//! Files of the commands: cases in, results out, and the errors of either.

use dvm_redist::distribution::case::Case;
use dvm_redist::distribution::json::parse_cases;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// A case is invalid.
    Case(PathBuf, dvm_redist::Error),
    /// A file cannot be read or written.
    File(PathBuf, std::io::Error),
    /// The file has no such case.
    Unknown(PathBuf, String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Case(path, e) => write!(f, "{}: {e}", path.display()),
            Self::File(path, e) => write!(f, "{}: {e}", path.display()),
            Self::Unknown(path, id) => write!(f, "{}: there is no case '{id}': name one of the file", path.display()),
        }
    }
}

/// The cases of a file, or only the case `id`.
pub(super) fn cases(file: &Path, id: Option<&str>) -> Result<Vec<Case>, Failure> {
    let text = std::fs::read_to_string(file).map_err(|e| Failure::File(file.to_owned(), e))?;
    let mut cases = parse_cases(&text).map_err(|e| Failure::Case(file.to_owned(), e))?;
    if let Some(id) = id {
        cases.retain(|c| c.id == id);
        if cases.is_empty() {
            return Err(Failure::Unknown(file.to_owned(), id.to_owned()));
        }
    }
    Ok(cases)
}

/// Writes a result completely: to a temporary file that is then renamed, or to standard output.
pub(super) fn write(out: Option<&Path>, text: &str) -> Result<(), Failure> {
    let Some(path) = out else {
        use std::io::Write;
        let done = std::io::stdout().write_all(text.as_bytes());
        return done.map_err(|e| Failure::File(PathBuf::from("standard output"), e));
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, path));
    written.map_err(|e| {
        let _ = std::fs::remove_file(&part);
        Failure::File(path.to_owned(), e)
    })
}
