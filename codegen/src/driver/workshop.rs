//! A folder of our own among the system's temporary ones.

use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// The folder; it is removed at the end.
#[derive(Debug)]
pub struct Workshop(pub PathBuf);

impl Workshop {
    /// Makes the folder where compilers make their temporary files. Equal purposes give equal names, unless one is
    /// still in use: some compilers write the name of what they compile into the object.
    pub fn open(purpose: u64) -> Result<Workshop, String> {
        let named = ["TMPDIR", "TMP", "TEMP"].into_iter().filter_map(std::env::var_os).filter(|p| !p.is_empty());
        let usual = ["/tmp", "/var/tmp", "/usr/tmp", "."];
        let mut first = None;
        for base in named.map(PathBuf::from).chain(usual.into_iter().map(PathBuf::from)) {
            for attempt in 0..1000_u32 {
                let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
                let path = base.join(format!("dvmcc-{purpose:016x}{suffix}"));
                match std::fs::DirBuilder::new().mode(0o700).create(&path) {
                    Ok(()) => return Ok(Workshop(path)),
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

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
