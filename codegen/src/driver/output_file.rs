//! Writes output files completely or not at all.

use std::io::Write;
use std::path::Path;

/// Writes a file under a temporary name in the same folder, then renames it.
pub fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    let say = |what: &str, e: std::io::Error| format!("cannot {what} `{}`: {e}", path.display());
    let special = std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
    if special {
        return std::fs::write(path, text).map_err(|e| say("write", e));
    }
    let name = path.file_name().ok_or_else(|| format!("`{}` is no file name", path.display()))?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(temporary);
    let result = std::fs::File::create(&beside)
        .and_then(|mut file| file.write_all(text).and_then(|()| file.flush()))
        .and_then(|()| {
            if path.is_dir() { Err(std::io::ErrorKind::IsADirectory.into()) } else { std::fs::rename(&beside, path) }
        });
    result.map_err(|e| {
        let _ = std::fs::remove_file(&beside);
        say("write", e)
    })
}

/// Writes to standard output; a partial write is an error.
pub fn print(text: &[u8]) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(|e| format!("cannot write to standard output: {e}"))
}

/// Writes to standard error, and ignores failures: messages do not change the outcome.
pub fn tell(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
