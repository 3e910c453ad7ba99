//! A private folder among the system's temporary ones.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder, under the name given to commands; removed on drop.
#[derive(Debug)]
pub struct Workshop(pub PathBuf, Option<PathBuf>);

/// A folder for names that must not depend on `TMPDIR`.
const FIXED: &str = "/tmp";

impl Workshop {
    /// Makes the folder for compilers' temporary files. Equal purposes get equal names unless one is in use: some
    /// compilers write the name of the compiled file into the object.
    pub fn open(purpose: u64) -> Result<Workshop, String> {
        let named = ["TMPDIR", "TMP", "TEMP"].into_iter().filter_map(std::env::var_os).filter(|p| !p.is_empty());
        let usual = ["/tmp", "/var/tmp", "/usr/tmp", "."];
        let mut first = None;
        for base in named.map(PathBuf::from).chain(usual.into_iter().map(PathBuf::from)) {
            for attempt in 0..1000_u32 {
                let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
                let name = format!("dvmcc-{purpose:016x}{suffix}");
                let path = base.join(&name);
                match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                    Ok(()) => return Ok(Workshop::named(path, &name)),
                    Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
                    Err(e) => {
                        first.get_or_insert(format!("cannot make a folder in `{}`: {e}", base.display()));
                        break;
                    }
                }
            }
        }
        let why = first.unwrap_or_else(|| "cannot make a folder for temporary files".to_owned());
        Err(format!("{why}; set TMPDIR to a folder that can be written"))
    }
}

impl Workshop {
    /// Gives the folder a fixed name if possible: sanitizers and link-time optimisation record the name of the compiled
    /// file, so that equal builds give equal objects whatever `TMPDIR` is.
    fn named(path: PathBuf, name: &str) -> Workshop {
        let link = Path::new(FIXED).join(name);
        let whole = std::fs::canonicalize(&path).ok();
        match whole.filter(|_| link != path).map(|whole| std::os::unix::fs::symlink(whole, &link)) {
            Some(Ok(())) => Workshop(link, Some(path)),
            _ => Workshop(path, None),
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if let Some(folder) = &self.1 {
            let _ = std::fs::remove_file(&self.0);
            let _ = std::fs::remove_dir_all(folder);
            return;
        }
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
