//! Headers that clang may lack although the program's compiler has them.

use super::clang::ClangError;
use super::preprocess::{self, Preprocessed};
use crate::source::Source;
use crate::workshop::Workshop;

/// OpenMP's interface, for the reading only.
const OMP: &str = include_str!("omp.h");

/// The flags that a file can be read with, and the headers that they lead to.
pub struct Headers {
    flags: Vec<String>,
    own: Option<Workshop>,
}

impl Headers {
    /// Flags for clang.
    pub fn flags(&self) -> Vec<String> {
        // Behind all folders of clang, whose own is taken first, and before those that were added for another compiler.
        let own = self.own.iter().flat_map(|own| ["-idirafter".to_owned(), own.0.display().to_string()]);
        own.chain(self.flags.iter().cloned()).collect()
    }
}

/// Preprocesses a file; where `omp.h` is not found, or is one that only another compiler reads, with one of our own.
pub fn preprocess(source: &Source, flags: &[String]) -> Result<(Preprocessed, Headers), ClangError> {
    let mut headers = Headers { flags: flags.to_vec(), own: None };
    let mut first = preprocess::run(source, flags);
    if let Err(ClangError::Rejected(messages)) = &first
        && messages.contains("unknown target CPU")
    {
        // A processor that only the real compiler knows; what matters of it are macros, and those are given.
        headers.flags.retain(|flag| !flag.starts_with("-march="));
        first = preprocess::run(source, &headers.flags);
    }
    let wants_own = match &first {
        Err(ClangError::Rejected(messages)) => messages.contains("'omp.h' file not found"),
        Err(_) => false,
        Ok(read) => read.foreign_omp,
    };
    if wants_own
        && let Ok(own) = Workshop::open(u64::from(std::process::id()))
        && std::fs::write(own.0.join("omp.h"), OMP).is_ok()
    {
        headers.own = Some(own);
        return Ok((preprocess::run(source, &headers.flags())?, headers));
    }
    Ok((first?, headers))
}
