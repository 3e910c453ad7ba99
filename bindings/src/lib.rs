//! Writes the C header and the Fortran module of libdvm, and the pages about them, from one source: the exported functions in `src/ffi`.
//!
//! * [`section`] reads a source file: title, constants, codes, structures and functions, with their documentation.
//! * [`header`] makes cbindgen print each section as C.
//! * [`fortran`] prints each section as interfaces to C, with wrappers where Fortran's style differs.
//! * [`reference`](mod@reference) reads the C headers as programs see them: [`declaration`] and [`comment`]. From it [`man`] prints the
//!   man pages of section 3, and [`page`] prints docs/reference.md.
//!
//! The generated files are committed, under `include/`, `bindings/man/` and `docs/`. The tests of this crate fail if they are out
//! of date, and rewrite them if the environment has `DVM_BLESS=1`.

pub mod comment;
pub mod declaration;
pub mod fortran;
pub mod header;
pub mod man;
pub mod page;
pub mod reference;
pub mod section;
mod trouble;

use std::path::Path;

pub use trouble::Trouble;

/// The source files of the header, in its order: each only uses earlier ones. A section without a file is omitted.
const SECTIONS: [&str; 17] = [
    "src/error.rs",
    "src/ffi/mod.rs",
    "src/ffi/version.rs",
    "src/ffi/lifecycle.rs",
    "src/ffi/rank.rs",
    "src/ffi/data.rs",
    "src/ffi/processing.rs",
    "src/ffi/scheduling.rs",
    "src/ffi/blocking.rs",
    "src/ffi/graph.rs",
    "src/ffi/region.rs",
    "src/ffi/across.rs",
    "src/ffi/explain.rs",
    "src/ffi/distribution.rs",
    "src/ffi/redistribution.rs",
    "src/ffi/dma.rs",
    "src/ffi/errors.rs",
];

/// Number of leading [`SECTIONS`] that declare constants and codes, which come before the array types.
const GROUND: usize = 2;

/// Reads all sections below the workspace's root.
pub fn read(root: &Path) -> Result<Vec<section::Section>, Trouble> {
    let known: Vec<_> = SECTIONS.iter().map(|name| root.join(name)).collect();
    forgotten(&root.join("src/ffi"), &known)?;
    known.iter().filter(|path| path.exists()).map(|path| section::Section::read(path)).collect()
}

/// Refuses a file with exported functions that the header would not contain.
fn forgotten(directory: &Path, known: &[std::path::PathBuf]) -> Result<(), Trouble> {
    let entries = std::fs::read_dir(directory).map_err(|e| Trouble::new(directory, format!("cannot be read: {e}")))?;
    for entry in entries.flatten().filter(|entry| entry.path().extension().is_some_and(|e| e == "rs")) {
        let path = entry.path();
        let exports = !known.contains(&path) && !section::Section::read(&path)?.functions.is_empty();
        if exports {
            return Err(Trouble::new(
                &path,
                "it exports functions but is no section of the header; add it to SECTIONS in bindings/src/lib.rs",
            ));
        }
    }
    Ok(())
}
