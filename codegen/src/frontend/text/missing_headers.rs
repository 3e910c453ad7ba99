//! Headers that the program's compiler has and clang lacks, or cannot read.
//!
//! Clang reads its own headers, and searches the folder of the compiler's own ones last, for those that it has not. A
//! header of clang may include the next one of its name, which then is the compiler's: `stdatomic.h` does, and gcc's
//! calls functions on `_Atomic` objects that clang refuses. Such a file is read again, with only the headers of that
//! folder that clang lacks. Nothing is compiled with what stands here.

use super::preprocess::{self, Preprocessed};
use crate::frontend::clang::process::ClangError;
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Declarations of OpenMP's functions, only to parse the file.
const OMP: &str = include_str!("omp.h");

/// The option before a folder that is searched after all others.
const LAST: &str = "-idirafter";

/// Extra flags for reading a file, and the headers that they lead to.
pub struct MissingHeaders {
    flags: Vec<String>,
    own: Option<ScratchFolder>,
}

impl MissingHeaders {
    /// The flags for clang.
    pub fn flags(&self) -> Vec<String> {
        // After clang's folders, so that its own header wins, and before folders added for another compiler.
        let own = self.own.iter().flat_map(|own| [LAST.to_owned(), own.path.display().to_string()]);
        own.chain(self.flags.iter().cloned()).collect()
    }
}

/// Preprocesses a file. If a header is missing or only readable by another compiler, retries with clang's or our own.
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
    let (wants_own, twice) = match &first {
        Err(ClangError::Rejected(messages)) => (messages.contains("'omp.h' file not found"), None),
        Err(_) => (false, None),
        Ok(read) => (read.files.iter().map(String::as_str).any(is_foreign_omp), read_twice(read, &headers.flags)),
    };
    if (wants_own || twice.is_some())
        && let Ok(own) = ScratchFolder::open(u64::from(std::process::id()))
        && (!wants_own || std::fs::write(own.path.join("omp.h"), OMP).is_ok())
    {
        if let Some(twice) = twice.filter(|twice| twice.link_rest(&own.path).is_ok()) {
            headers.flags = twice.without_folder(&headers.flags);
        }
        headers.own = Some(own);
        return Ok((preprocess::run(source, &headers.flags())?, headers));
    }
    Ok((first?, headers))
}

/// Whether clang's parser may not understand the file: an `omp.h` that is not its own.
fn is_foreign_omp(file: &str) -> bool {
    file.ends_with("/omp.h") && file.contains("/lib/gcc/")
}

/// A header that was read from two folders of compilers' own headers.
struct ReadTwice {
    /// The folder that was added for another compiler.
    added: PathBuf,
    /// The folder of clang's own headers.
    clangs: PathBuf,
}

/// The first header that was read both from clang's folder and from another compiler's.
fn read_twice(read: &Preprocessed, flags: &[String]) -> Option<ReadTwice> {
    let added = |folder: &Path| flags.windows(2).any(|two| two[0] == LAST && Path::new(&two[1]) == folder);
    let builtin = |folder: &Path| folder.join("stddef.h").is_file() && folder.join("stdarg.h").is_file();
    let files: Vec<(&Path, &OsStr)> = read.files.iter().filter_map(|file| parts(Path::new(file))).collect();
    let theirs = files.iter().filter(|(folder, _)| added(folder) && builtin(folder));
    theirs.into_iter().find_map(|(folder, name)| {
        let (first, _) = files.iter().find(|(other, n)| n == name && !added(other) && builtin(other))?;
        Some(ReadTwice { added: folder.to_path_buf(), clangs: first.to_path_buf() })
    })
}

/// A file's folder and name.
fn parts(file: &Path) -> Option<(&Path, &OsStr)> {
    Some((file.parent()?, file.file_name()?))
}

impl ReadTwice {
    /// Makes links to the headers that clang lacks.
    fn link_rest(&self, links: &Path) -> std::io::Result<()> {
        // Links need a name that holds in any folder.
        for header in std::fs::read_dir(std::fs::canonicalize(&self.added)?)? {
            let header = header?;
            let link = links.join(header.file_name());
            if !self.clangs.join(header.file_name()).exists() && !link.exists() {
                std::os::unix::fs::symlink(header.path(), link)?;
            }
        }
        Ok(())
    }

    /// The flags without the folder that was added.
    fn without_folder(&self, flags: &[String]) -> Vec<String> {
        let mut kept = Vec::with_capacity(flags.len());
        for flag in flags {
            if Path::new(flag) == self.added && kept.last().is_some_and(|last| last == LAST) {
                kept.pop();
            } else {
                kept.push(flag.clone());
            }
        }
        kept
    }
}
