//! Finds libdvm and its header: beside this program, or in `DVM_PREFIX`.

use std::path::{Path, PathBuf};

/// The folders that compile and link commands need.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installation {
    /// The folder of `dvm.h`.
    pub include: Option<PathBuf>,
    /// The folder of `libdvm.so`.
    pub library: Option<PathBuf>,
}

impl Installation {
    /// Searches around `executable`, or in `prefix`.
    pub fn find(executable: &Path, prefix: Option<&Path>) -> Installation {
        let folder = executable.parent().unwrap_or(Path::new("."));
        let mut roots: Vec<PathBuf> = prefix.map(Path::to_owned).into_iter().collect();
        if prefix.is_none() {
            roots.extend(folder.parent().map(Path::to_owned));
        }
        let mut libraries: Vec<PathBuf> = roots.iter().flat_map(|r| library_folders(r)).collect();
        let mut includes: Vec<PathBuf> = roots.iter().map(|r| r.join("include")).collect();
        if prefix.is_none() {
            // A build tree: TARGET/release has dvmcc and libdvm.so, and the sources are two folders up.
            libraries.push(folder.to_owned());
            libraries.extend(folder.parent().map(Path::to_owned));
            includes.extend(folder.ancestors().skip(1).take(4).map(|a| a.join("include")));
        }
        let holds = |folders: Vec<PathBuf>, file: &str| folders.into_iter().find(|f| f.join(file).is_file());
        Installation { include: holds(includes, "dvm.h"), library: holds(libraries, "libdvm.so") }
    }

    /// The installation of the running program.
    pub fn of_this_program() -> Installation {
        let executable = std::env::current_exe().and_then(std::fs::canonicalize).unwrap_or_default();
        let prefix = std::env::var_os("DVM_PREFIX").filter(|p| !p.is_empty()).map(PathBuf::from);
        Installation::find(&executable, prefix.as_deref())
    }
}

fn library_folders(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.join("lib"), root.join("lib64")];
    if let Ok(entries) = std::fs::read_dir(root.join("lib")) {
        let mut inner: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
        inner.sort();
        all.extend(inner);
    }
    all
}
