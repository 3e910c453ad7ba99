//! The build that is tried.

use std::path::{Path, PathBuf};

/// A file of the build that is tried: from the environment, or of cargo's build.
pub fn built(variable: &str, name: &str) -> PathBuf {
    let release = Path::new(env!("CARGO_BIN_EXE_dvmcc")).parent().expect("a folder");
    let path = std::env::var_os(variable).map_or_else(|| release.join(name), PathBuf::from);
    assert!(path.exists(), "there is no {}: cargo build --release --workspace --lib --bins", path.display());
    path
}

/// libdvm under the names that linkers and programs use, and dvmrun.
pub struct Built {
    pub library: testkit::Scratch,
    pub run: PathBuf,
}

impl Built {
    pub fn new() -> Built {
        let library = testkit::scratch(&[]);
        let file = built("LIBDVM", "libdvm.so").canonicalize().expect("a path");
        for name in ["libdvm.so", "libdvm.so.0"] {
            std::os::unix::fs::symlink(&file, library.join(name)).expect("a link");
        }
        Built { library, run: built("DVMRUN", "dvmrun") }
    }
}
