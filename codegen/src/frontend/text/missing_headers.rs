//! Headers that the program's compiler has and clang may lack.

use super::preprocess::{self, Preprocessed};
use crate::frontend::clang::process::ClangError;
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;

/// Declarations of OpenMP's functions, only to parse the file.
const OMP: &str = include_str!("omp.h");

/// Extra flags for reading a file, and the headers that they lead to.
pub struct MissingHeaders {
    flags: Vec<String>,
    own: Option<ScratchFolder>,
}

impl MissingHeaders {
    /// The flags for clang.
    pub fn flags(&self) -> Vec<String> {
        // After clang's folders, so that its own header wins, and before folders added for another compiler.
        let own = self.own.iter().flat_map(|own| ["-idirafter".to_owned(), own.path.display().to_string()]);
        own.chain(self.flags.iter().cloned()).collect()
    }
}

/// Preprocesses a file. If `omp.h` is missing or only readable by another compiler, retries with our own.
pub fn preprocess(source: &Source, flags: &[String]) -> Result<(Preprocessed, MissingHeaders), ClangError> {
    let mut headers = MissingHeaders { flags: flags.to_vec(), own: None };
    let mut first = preprocess::run(source, flags);
    if let Err(ClangError::Rejected(messages)) = &first
        && messages.contains("unknown target CPU")
    {
        // Clang does not know this processor. Its macros are what matters, and the flags define them.
        headers.flags.retain(|flag| !flag.starts_with("-march="));
        first = preprocess::run(source, &headers.flags);
    }
    let wants_own = match &first {
        Err(ClangError::Rejected(messages)) => messages.contains("'omp.h' file not found"),
        Err(_) => false,
        Ok(read) => read.foreign_omp,
    };
    if wants_own
        && let Ok(own) = ScratchFolder::open(u64::from(std::process::id()))
        && std::fs::write(own.path.join("omp.h"), OMP).is_ok()
    {
        headers.own = Some(own);
        return Ok((preprocess::run(source, &headers.flags())?, headers));
    }
    Ok((first?, headers))
}
